import type { Desired, Expectation, PresentDomain } from '../../../core/model/desired.ts';
import { sameDestinations, type Disclosure } from '../../../core/model/destinations.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import { succeed } from '../../../core/model/result.ts';
import { endsIn, type FormerAddress } from '../../../core/move/inventory.ts';
import type { Read, Rehearsal } from '../../../core/move/observation.ts';
import type { MoveShow } from '../../../service/move/ports.ts';
import type { Context } from '../../context.ts';
import { narrow } from '../../input/manifest/desired.ts';
import { describeArrival, findUndecided, isAsExpected } from '../test/test-command.ts';
import { openTestbed, type Testbed } from '../test/testbed.ts';

const MOST_ADDRESSES = 200;

export interface Rehearsing {
  readonly desired: Desired;
  readonly domain: PresentDomain;
  readonly disclosure: Disclosure;
  readonly show: MoveShow;
}

/** Sends a mail for each expectation and each former address to an emulator in this process. */
export async function rehearse(
  context: Context,
  rehearsing: Rehearsing,
  former: readonly FormerAddress[],
): Promise<Read<Rehearsal>> {
  const { desired, domain } = rehearsing;
  const tried = former.slice(0, MOST_ADDRESSES);
  const counts = { sent: domain.expect.length + tried.length, left: former.length - tried.length };
  if (counts.sent === 0) return succeed({ ...counts, failures: [] });
  const testbed = await openTestbed(context, narrow(desired, [domain.domain], 'ignored'));
  try {
    const failures = [
      ...(await tryExpectations(rehearsing, testbed)),
      ...(await tryAddresses(rehearsing, testbed, tried)),
    ];
    return succeed({ ...counts, failures });
  } finally {
    await testbed.close();
  }
}

async function tryExpectations(
  { domain, disclosure, show }: Rehearsing,
  testbed: Testbed,
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const expectation of domain.expect) {
    const arrival = findUndecided(domain, expectation) ?? (await testbed.send(domain, expectation));
    if (isAsExpected(expectation, arrival)) continue;
    const { source, to } = expectation;
    failures.push(`${showSource(source)}: ${show.text(to)}: ${describeArrival(arrival, disclosure)}`);
  }
  return failures;
}

async function tryAddresses(
  { desired, domain, disclosure, show }: Rehearsing,
  testbed: Testbed,
  former: readonly FormerAddress[],
): Promise<readonly string[]> {
  const ends = endsIn(desired);
  const failures: string[] = [];
  for (const { address, ends: wanted } of former) {
    const arrival = await testbed.send(domain, mailTo(address, domain));
    const found = arrival.kind === 'delivered' ? ends.of(arrival.forward) : null;
    if (found !== null && sameDestinations(found, ends.of(wanted) ?? [])) continue;
    failures.push(`${show.text(address)}: ${describeArrival(arrival, disclosure)}`);
  }
  return failures;
}

function mailTo(to: string, { source }: PresentDomain): Expectation {
  const from = 'sender@test.invalid';
  return { source, to, from, subject: 'rehearsal', body: '', forward: { kind: 'refused' } };
}
