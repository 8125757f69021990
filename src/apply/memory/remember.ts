import { accountEntryKey, itemKey } from '../../model/item-key.ts';
import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import type { ManifestSize, PriorDomain, Verified } from '../../model/prior.ts';
import { manifestSize, prunesAnything } from '../../plan/size.ts';
import { passwordReference } from '../send/passwords.ts';
import { planAgain } from '../look.ts';
import { memoryOf } from './memory.ts';
import type { NotKept } from './not-kept.ts';
import type { LastPass } from '../rounds.ts';
import type { Run } from '../run.ts';

/** Keeps for the next run what this one knows; what cannot be kept is a note, for no run depends on it. */
export async function rememberRun(
  run: Run,
  verdict: LastPass,
  verified: ReadonlyMap<DomainName, Verified>,
): Promise<void> {
  const { input, ports, ledger } = run;
  const open = verdict.kind === 'seen' ? verdict.open : input.plan.changes;
  const notKept = verdict.kind === 'seen' ? verdict.notKept : [];
  const unread = verdict.kind === 'seen' ? verdict.unread : new Map<DomainName, string>();
  const inPlace = verdict.kind === 'seen' && open.length + unread.size + input.plan.withheld.length === 0;
  const notInPlace = [...open, ...input.heldBack, ...undone(run), ...suppressed(run)];
  const memory = memoryOf({
    desired: input.desired,
    settled: settledDomains(run, [...notInPlace, ...notKept.map(({ change }) => change)]),
    prior: input.prior,
    plan: input.plan,
    adoptions: [
      ...input.plan.adoptions,
      ...(verdict.kind === 'seen' ? verdict.adoptions : []),
      ...run.renamedRules,
    ],
    observed: run.observed,
    unread: unreadDomains(run, unread.keys()),
    open: namesOf(notInPlace),
    keptOtherwise: new Map(notKept.flatMap(lastingOf)),
    passwords: await fingerprints(run),
    added: new Map([...run.added.keys()].map((domain) => [domain, run.givenCatchAlls.get(domain) ?? null])),
    size: inPlace ? sizeToKeep(input) : null,
    verified,
  });
  const kept = await ports.state.remember(memory);
  if (!kept.ok) ledger.notes.add(`what was applied could not be remembered: ${kept.error.message}`);
}

/** Null of a manifest that prunes nothing. A run about some domains says nothing of the size at which the others are in place. */
function sizeToKeep({ desired, manifestSize: whole }: Run['input']): ManifestSize | null {
  const { domains, entries } = manifestSize(desired);
  const isWhole = domains.size === whole.domains.size && entries === whole.entries;
  return isWhole && prunesAnything(desired) ? whole : null;
}

/** Digests of the domains that are in place, with nothing held back. */
function settledDomains({ input }: Run, open: readonly Change[]): ReadonlyMap<DomainName, string> {
  const settled = new Map(input.domainDigests);
  for (const { domain } of [...open, ...input.plan.withheld]) settled.delete(domain);
  return settled;
}

/** What could not be read at the start, or later, or told apart. */
function unreadDomains({ input, observed }: Run, unread: Iterable<DomainName>): ReadonlySet<DomainName> {
  const withheld = input.plan.withheld.filter(({ cause }) => cause === 'unproven' || cause === 'manifest');
  return new Set([...observed.unproven.keys(), ...withheld.map(({ domain }) => domain), ...unread]);
}

function lastingOf({ change, shown }: NotKept): readonly (readonly [string, string])[] {
  const { domain, kind, name } = change;
  return shown === null ? [] : [[accountEntryKey(domain, kind, name), shown]];
}

/** What no plan shows because an earlier run found that the service keeps it otherwise, and is not in place to this day. */
function suppressed(run: Run): readonly Change[] {
  const { prior } = run.input;
  const domains = new Map(prior.domains);
  const names = [...prior.domains]
    .filter(([, { keptOtherwise }]) => keptOtherwise.size > 0)
    .map(([name]) => name);
  for (const [name, known] of prior.domains) domains.set(name, { ...known, keptOtherwise: NOTHING });
  return names.length === 0 ? [] : planAgain(run, names, { ...prior, domains }).changes;
}

const NOTHING: PriorDomain['keptOtherwise'] = new Map();

/** What failed is not in place, whatever a plan can see: nobody can read a password back. */
function undone({ ledger }: Run): readonly Change[] {
  return [...ledger.failed.values(), ...ledger.skipped.values()].map(({ change }) => change);
}

function namesOf(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.map(({ domain, kind, name }) => accountEntryKey(domain, kind, name)));
}

/** Of the passwords that were sent, or may have been; null where none can be made or it is not known which one counts. */
async function fingerprints(run: Run): Promise<ReadonlyMap<string, string | null>> {
  const made = new Map<string, string | null>();
  for (const { change } of run.ledger.done.values()) {
    if (change.kind !== 'credential' || change.desired === null) continue;
    if (passwordReference(run.input.desired, change.domain, change.name) === null) continue;
    const password = run.passwords.get(itemKey(change));
    const fingerprint = password === undefined ? null : await run.ports.state.fingerprint(password);
    made.set(accountEntryKey(change.domain, change.kind, change.name), fingerprint);
  }
  return made;
}
