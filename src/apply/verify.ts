import { missingRecords } from '../api/verification.ts';
import type { DomainName } from '../model/names.ts';
import type { Verified } from '../model/prior.ts';
import { dueDomains, MOST_VERIFIED } from '../plan/verification.ts';
import { isStopped, type Run } from './run.ts';
import { sideBySide } from './side-by-side.ts';

const FIRST_WAIT_MS = 3_600_000;
const LONGEST_WAIT_MS = 86_400_000;
const AT_ONCE = 8;

/**
 * Asks the service about the DNS of domains with `verify: true` that are not ready: at once, after an hour, then after twice
 * as long each time, up to a day. What it finds are notes; whether the run converged does not depend on it.
 */
export async function verifyDomains(run: Run): Promise<ReadonlyMap<DomainName, Verified>> {
  const verified = new Map<DomainName, Verified>();
  const { input, observed, ports } = run;
  const due = dueDomains({ ...input, observed, now: ports.clock.now() });
  const now = due.slice(0, MOST_VERIFIED);
  await sideBySide(now, AT_ONCE, async ({ domain, last }) => {
    if (isStopped(run)) return;
    const note = await verifyDomain(run, domain, last, verified);
    run.ledger.notes.add(note);
  });
  const later = due.length - now.length;
  if (later > 0) run.ledger.notes.add(`${later} more domains are verified by the next run`);
  return verified;
}

async function verifyDomain(
  run: Run,
  domain: DomainName,
  last: Verified | null,
  verified: Map<DomainName, Verified>,
): Promise<string> {
  const answer = await run.ports.client.verifyDomain(domain);
  const ready = answer.ok && answer.value.valid;
  verified.set(domain, { at: run.ports.clock.now(), waitMs: ready ? LONGEST_WAIT_MS : waitAfter(last) });
  if (!answer.ok) return `${domain} could not be verified: ${answer.error.message}`;
  if (ready) return `${domain} is ready: its DNS records are in place`;
  const missing = missingRecords(answer.value).join(', ');
  return `${domain} is not ready: DNS records are missing or wrong: ${missing} (fwdsync verify ${domain} prints them)`;
}

function waitAfter(last: Verified | null): number {
  return last === null ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, 2 * last.waitMs);
}
