import type { Desired, Expectation, PresentDomain } from '../../../core/model/desired.ts';
import { sameDestinations, showDestinations, type Disclosure } from '../../../core/model/destinations.ts';
import { escapeInvisible, plural, quote } from '../../../core/model/names.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import type { Context } from '../../context.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { narrow } from '../../input/manifest/desired.ts';
import { routerOf } from '../../../core/manifest/check/routing-table.ts';
import { isOneWay } from '../../../core/routing/route.ts';
import { styleFor } from '../../output/paint.ts';
import { assertOneDefault } from '../../settings/resolve-settings.ts';
import { loadWithPlaceholders } from '../emulator/emulator-from.ts';
import { openTestbed, type Arrival, type Testbed } from './testbed.ts';

/**
 * Sends each `expect` of a manifest by SMTP to an emulator made from it, and compares where it arrives. Resolves no
 * reference and reads no key. All traffic stays within the process, over loopback.
 */
export async function testCommand(
  context: Context,
  { settings: { manifest } }: CommandCall,
): Promise<CommandResult> {
  assertOneDefault(manifest);
  const loaded = await loadWithPlaceholders(context, manifest, 'unchecked');
  const desired = narrow(loaded, manifest.domains, 'refused');
  const domains = [...desired.domains.values()].filter((domain) => domain.state === 'present');
  const count = domains.reduce((sum, { expect }) => sum + expect.length, 0);
  if (count === 0) {
    return { exit: EXIT.done, text: 'Nothing to test: no domain has `expect`.\n' };
  }
  const testbed = await openTestbed(context, desired);
  try {
    const failed = await testDomains(context, { desired, domains, testbed });
    const style = styleFor(context.stdout, context.color);
    const total = plural(count, 'mail');
    const verdict =
      failed === 0
        ? style.good(`${total} sent, all arrived as expected.`)
        : style.error(`${total} sent, ${failed} not as expected.`);
    return { exit: failed === 0 ? EXIT.done : EXIT.changes, text: `${verdict}\n` };
  } finally {
    await testbed.close();
  }
}

/** Tests the mails of the domains. Returns the number of mails that did not arrive as expected. */
async function testDomains(
  context: Context,
  {
    desired,
    domains,
    testbed,
  }: { readonly desired: Desired; readonly domains: readonly PresentDomain[]; readonly testbed: Testbed },
): Promise<number> {
  const style = styleFor(context.stdout, context.color);
  const disclosure: Disclosure = { references: desired.references, mask: context.mask };
  let failed = 0;
  for (const domain of domains) {
    for (const expectation of domain.expect) {
      if (context.signal.aborted) return failed;
      const arrival = findUndecided(domain, expectation) ?? (await testbed.send(domain, expectation));
      const isMet = isAsExpected(expectation, arrival);
      if (!isMet) failed += 1;
      const mark = isMet ? style.good('ok  ') : style.error('FAIL');
      const lines = describe(expectation, arrival, disclosure).map(escapeInvisible);
      context.stdout.write(`${mark} ${lines.join('\n')}\n`);
    }
  }
  return failed;
}

/** A mail that any of `takers` may take, which send it to different destinations. */
interface Undecided {
  readonly kind: 'undecided';
  readonly takers: readonly string[];
}

/** Explains why the destination of a mail is not known, regardless of the emulator. null means that it is known. */
export function findUndecided(domain: PresentDomain, expectation: Expectation): Undecided | null {
  const { routes } = routerOf(domain);
  const found = (['anywhere', 'whole'] as const).flatMap((anchoring) => routes(expectation, anchoring));
  const [first, ...others] = found;
  if (first === undefined || isOneWay([first, ...others])) return null;
  const takers = found.map((route) => {
    if (route.kind === 'alias') return `alias ${quote(route.alias.name)}`;
    return route.kind === 'rule' ? `rule ${quote(route.rule.name)}` : 'nothing';
  });
  return { kind: 'undecided', takers: [...new Set(takers)] };
}

export function isAsExpected({ forward }: Expectation, arrival: Arrival | Undecided): boolean {
  if (forward.kind === 'refused') return arrival.kind === 'refused';
  return arrival.kind === 'delivered' && sameDestinations(forward.forward, arrival.forward);
}

/** Describes a result in lines. */
function describe(
  expectation: Expectation,
  arrival: Arrival | Undecided,
  disclosure: Disclosure,
): readonly string[] {
  const { to, from, subject, source, forward } = expectation;
  const details = [
    from === '' ? '' : ` from ${from}`,
    subject === '' ? '' : ` with subject ${quote(subject)}`,
  ];
  const mail = `${showSource(source)}: ${to}${details.join('')}`;
  const wanted =
    forward.kind === 'refused' ? 'refused' : `-> ${showDestinations(forward.forward, disclosure)}`;
  if (isAsExpected(expectation, arrival)) return [`${mail} ${wanted}`];
  return [mail, `       expected ${wanted}`, `       ${describeArrival(arrival, disclosure)}`];
}

export function describeArrival(arrival: Arrival | Undecided, disclosure: Disclosure): string {
  switch (arrival.kind) {
    case 'undecided':
      return `but it is not known which of these gets it: ${arrival.takers.join(', ')}`;
    case 'refused':
      return `but got  refused: ${arrival.reason}`;
    case 'delivered':
      return `but got  -> ${showDestinations(arrival.forward, disclosure)}`;
  }
}
