import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { lookAddresses, type Resolver } from './zone.ts';

const WAIT_MS = 10_000;
/** Larger files are not read by senders either (RFC 8461, 3.2). */
const MOST_BYTES = 64 * 1024;

/**
 * Reads the MTA-STS policy file of a domain over HTTPS, from the address that the resolver gives. The certificate is
 * checked, and redirects are not followed (RFC 8461, 3.3).
 */
export async function readPolicyFile(
  domain: string,
  resolver: Resolver,
  port: number,
): Promise<Result<string, string>> {
  const host = `mta-sts.${domain}`;
  const addresses = await lookAddresses(resolver, host);
  if (!addresses.ok) return fail(addresses.error.message);
  if (addresses.value.length === 0) return fail(`${host} has no address`);
  const agent = new Agent({
    connect: { timeout: WAIT_MS, lookup: answerWith(addresses.value) },
    headersTimeout: WAIT_MS,
    bodyTimeout: WAIT_MS,
    maxResponseSize: MOST_BYTES,
  });
  try {
    const url = `https://${host}:${port}/.well-known/mta-sts.txt`;
    const { statusCode, body } = await request(url, { dispatcher: agent });
    const text = await body.text();
    return statusCode === 200 ? succeed(text) : fail(`${host} answered ${statusCode}`);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  } finally {
    await agent.destroy();
  }
}

/** Answers every look-up of a connection with addresses that are known. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all === true) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}
