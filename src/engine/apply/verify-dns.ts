import type { ApiError } from '../../client/errors.ts';
import { missingRecords } from '../../core/dns/checks.ts';
import type { Verification } from '../../client/client.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Verified } from '../../core/model/prior.ts';
import type { Result } from '../../core/model/result.ts';
import {
  dueDomains,
  MOST_VERIFIED,
  VERIFIED_AT_ONCE,
  type DueContext,
} from '../../core/plan/requests/verification.ts';
import { stopFor, whyStopped, type Ledger } from './ledger.ts';
import type { ApplyPorts } from './ports.ts';
import { sideBySide } from './side-by-side.ts';

const FIRST_WAIT_MS = 3_600_000;
const LONGEST_WAIT_MS = 86_400_000;

/**
 * Asks the service about the DNS of domains with `verify: true` that are not ready: at once, after an hour, then
 * after twice as long each time, up to a day. The findings are only notes. A run may converge without them.
 */
export async function verifyDomains(
  context: Omit<DueContext, 'now'>,
  ledger: Ledger,
  { client, clock, command }: Pick<ApplyPorts, 'client' | 'clock'> & { readonly command: CommandLine },
): Promise<ReadonlyMap<DomainName, Verified>> {
  const verified = new Map<DomainName, Verified>();
  const due = dueDomains({ ...context, now: clock.now() });
  let isHopeless = false;
  await sideBySide(due.slice(0, MOST_VERIFIED), VERIFIED_AT_ONCE, async ({ domain, last }) => {
    if (isHopeless || whyStopped(ledger) !== null) return;
    const answer = await client.verifyDomain(domain);
    isHopeless ||= !answer.ok && stopFor(answer.error) !== null;
    const isReady = answer.ok && answer.value.valid;
    verified.set(domain, { at: clock.now(), waitMs: isReady ? LONGEST_WAIT_MS : waitAfter(last) });
    ledger.notes.add(noteOf(domain, answer, command));
  });
  const later = due.length - Math.min(due.length, MOST_VERIFIED);
  if (later > 0) ledger.notes.add(`${later} more domains are verified by the next run`);
  return verified;
}

function noteOf(domain: DomainName, answer: Result<Verification, ApiError>, command: CommandLine): string {
  if (!answer.ok) return `${domain} could not be verified: ${answer.error.message}`;
  if (answer.value.valid) return `${domain} is ready: its DNS records are in place`;
  const missing = missingRecords(answer.value).join(', ');
  return `${domain} is not ready: DNS records are missing or wrong: ${missing} (\`${command(`verify ${domain}`)}\` prints them)`;
}

function waitAfter(last: Verified | null): number {
  return last === null ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, 2 * last.waitMs);
}
