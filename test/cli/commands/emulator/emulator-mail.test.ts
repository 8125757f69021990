import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../../../../src/emulator/smtp/receive/certificate.ts';
import { fwdsync } from '../../../support/command.ts';
import { ENTRY } from '../../../support/program.ts';

const PAIRS = {
  one: makeCertificate('localhost', Date.now()),
  other: makeCertificate('localhost', Date.now()),
};
let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fwdsync-emulator-mail-'));
  for (const [name, { cert, key }] of Object.entries(PAIRS)) {
    await writeFile(join(cwd, `${name}-cert.pem`), cert);
    await writeFile(join(cwd, `${name}-key.pem`), key);
  }
  return () => rm(cwd, { recursive: true });
});

/** True if a client that trusts only this certificate completes STARTTLS. */
async function trusts(address: string, ca: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  const tls = { ca, servername: 'localhost' };
  const connection = new SMTPConnection({ host, port: Number(port), requireTLS: true, tls });
  return new Promise((resolve) => {
    connection.on('error', () => resolve(false));
    connection.connect(() => {
      connection.quit();
      resolve(connection.secure);
    });
  });
}

test('both mail servers have the certificate that is given', async () => {
  const files = ['--tls-cert', 'one-cert.pem', '--tls-key', 'one-key.pem'];
  const args = ['--port', '0', '--smtp', '0', '--submission', '0', ...files];
  const child = spawn(process.execPath, [ENTRY, 'emulator', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { smtp, submission } = JSON.parse(line) as { readonly smtp: string; readonly submission: string };
  for (const address of [smtp, submission]) {
    expect(await trusts(address, PAIRS.one.cert)).toBe(true);
    expect(await trusts(address, PAIRS.other.cert)).toBe(false);
  }
});

test.each([
  [['--tls-cert', 'one-cert.pem'], 64, '--tls-cert and --tls-key belong together'],
  [['--tls-cert', 'none.pem', '--tls-key', 'one-key.pem'], 1, 'none.pem does not exist'],
  [['--tls-cert', 'one-cert.pem', '--tls-key', 'other-key.pem'], 1, 'cannot be used for TLS'],
])('%j is refused', async (args, code, message) => {
  const ended = await fwdsync(['emulator', '--port', '0', '--smtp', '0', ...args], { cwd });
  expect(ended.stderr).toContain(message);
  expect(ended.code).toBe(code);
});
