import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../directory.ts';

/** The host of an MTA-STS policy over HTTPS on loopback. The policy can be changed at any time. */
export interface PolicyHost {
  readonly address: string;
  /** The certificate of the authority, for `NODE_EXTRA_CA_CERTS`. */
  readonly authority: string;
  status: number;
  text: string;
}

/** Serves the policy of a domain on this port. This process trusts its certificate until the test ends. */
export async function startPolicyHost(domain: string, port: number): Promise<PolicyHost> {
  const directory = await temporaryDirectory();
  const { key, cert } = certify(directory, `mta-sts.${domain}`);
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(cert, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(before));
  const host: PolicyHost = { address: '127.0.0.9', authority: cert, status: 200, text: '' };
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const isPolicy = request.url === '/.well-known/mta-sts.txt';
    response.writeHead(isPolicy ? host.status : 404, { 'content-type': 'text/plain', location: '/other' });
    response.end(host.text);
  });
  server.listen(port, host.address);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return host;
}

function certify(directory: string, name: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const kind = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500'.split(' ');
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key, cert };
}
