import { accountEntryKey, itemKey } from '../../../core/kinds/item-key.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { Change } from '../../../core/model/plan.ts';
import type { ManifestSize, Prior, PriorDomain, Verified } from '../../../core/model/prior.ts';
import { manifestSize, prunesAnything } from '../../../core/plan/size.ts';
import { passwordReference, type Passwords } from '../send/passwords.ts';
import type { Ledger } from '../ledger.ts';
import type { KnownAccount } from '../known-account.ts';
import type { ApplyInput } from '../ports.ts';
import type { StateStore } from '../../state/store.ts';
import { memoryOf } from './memory.ts';
import type { NotKept } from './not-kept.ts';
import type { Verdict } from '../verdict.ts';

export interface RememberInput {
  readonly input: ApplyInput;
  readonly ledger: Ledger;
  readonly account: KnownAccount;
  readonly passwords: Passwords;
  readonly verdict: Verdict;
  readonly verified: ReadonlyMap<DomainName, Verified>;
}

/** Saves what this run knows for the next one. A failure to save is only a note, because no run depends on it. */
export async function rememberRun(state: StateStore, run: RememberInput): Promise<void> {
  const { input, ledger, account, verdict, verified } = run;
  const { observed, findings } = account;
  const open = verdict.kind === 'seen' ? verdict.open : input.plan.changes;
  const notKept = verdict.kind === 'seen' ? verdict.notKept : [];
  const unread = verdict.kind === 'seen' ? verdict.unread : new Map<DomainName, string>();
  const inPlace = verdict.kind === 'seen' && open.length + unread.size + input.plan.withheld.length === 0;
  const notInPlace = [...open, ...input.heldBack, ...undone(ledger), ...suppressed(account, input.prior)];
  const memory = memoryOf({
    purpose: input.policy.purpose,
    desired: input.desired,
    inSyncDigests: digestsInSync(input, [...notInPlace, ...notKept.map(({ change }) => change)]),
    prior: input.prior,
    plan: input.plan,
    adoptions: [
      ...input.plan.adoptions,
      ...(verdict.kind === 'seen' ? verdict.adoptions : []),
      ...findings.renamedRules,
    ],
    observed,
    unread: unreadDomains(input, observed.unproven.keys(), unread.keys()),
    open: namesOf(notInPlace),
    keptOtherwise: new Map(notKept.flatMap(lastingOf)),
    passwords: await fingerprints(run, state),
    added: new Map(
      [...findings.added.keys()].map((domain) => [domain, findings.givenCatchAlls.get(domain) ?? null]),
    ),
    size: inPlace ? sizeToKeep(input) : null,
    verified,
  });
  const kept = await state.remember(memory);
  if (!kept.ok) ledger.notes.add(`the result of this run could not be recorded: ${kept.error.message}`);
}

/**
 * Returns null for a manifest that prunes nothing. A run over some domains cannot tell the size at which the others
 * are in place.
 */
function sizeToKeep({ desired, manifestSize: whole }: ApplyInput): ManifestSize | null {
  const { domains, entries } = manifestSize(desired);
  const isWhole = domains.size === whole.domains.size && entries === whole.entries;
  return isWhole && prunesAnything(desired) ? whole : null;
}

/** Returns digests of the domains that are in place, with nothing held back. */
function digestsInSync(
  { domainDigests, plan }: ApplyInput,
  open: readonly Change[],
): ReadonlyMap<DomainName, string> {
  const inPlace = new Map(domainDigests);
  for (const { domain } of [...open, ...plan.withheld]) inPlace.delete(domain);
  return inPlace;
}

/** Returns domains that could not be read, at the start or later, or whose items could not be distinguished. */
function unreadDomains(
  { plan }: ApplyInput,
  ...unread: readonly Iterable<DomainName>[]
): ReadonlySet<DomainName> {
  const withheld = plan.withheld.filter(({ cause }) => cause === 'unproven' || cause === 'manifest');
  return new Set([...withheld.map(({ domain }) => domain), ...unread.flatMap((domains) => [...domains])]);
}

function lastingOf({ change, shown }: NotKept): readonly (readonly [string, string])[] {
  const { domain, kind, name } = change;
  return shown === null ? [] : [[accountEntryKey(domain, kind, name), shown]];
}

/**
 * Returns changes that no plan shows, because an earlier run found that the service keeps something else. They are
 * still not in place.
 */
function suppressed(account: KnownAccount, prior: Prior): readonly Change[] {
  const domains = new Map(prior.domains);
  const names = [...prior.domains]
    .filter(([, { keptOtherwise }]) => keptOtherwise.size > 0)
    .map(([name]) => name);
  for (const [name, known] of prior.domains) domains.set(name, { ...known, keptOtherwise: NOTHING });
  return names.length === 0 ? [] : account.planAgain(names, { ...prior, domains }).changes;
}

const NOTHING: PriorDomain['keptOtherwise'] = new Map();

/**
 * Returns failed and skipped changes. They are not in place even if no plan shows them, because a password cannot be
 * read back.
 */
function undone({ failed, skipped }: Ledger): readonly Change[] {
  return [...failed.values(), ...skipped.values()].map(({ change }) => change);
}

function namesOf(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.map(({ domain, kind, name }) => accountEntryKey(domain, kind, name)));
}

/**
 * Returns fingerprints of the passwords that were sent, or may have been. null means that none can be made, or that
 * it is not known which password counts.
 */
async function fingerprints(
  { input, ledger, passwords }: RememberInput,
  state: StateStore,
): Promise<ReadonlyMap<string, string | null>> {
  const made = new Map<string, string | null>();
  for (const { change } of ledger.done.values()) {
    if (change.kind !== 'credential' || change.desired === null) continue;
    if (passwordReference(input.desired, change.domain, change.name) === null) continue;
    const password = passwords.get(itemKey(change));
    const fingerprint = password === undefined ? null : await state.fingerprint(password);
    made.set(accountEntryKey(change.domain, change.kind, change.name), fingerprint);
  }
  return made;
}
