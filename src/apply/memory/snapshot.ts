import { SECTION_KINDS, type SectionKind } from '../../model/kinds.ts';
import type {
  DomainDocument,
  ForwardDocument,
  ManifestDocument,
  ShowForward,
} from '../../model/manifest-document.ts';
import type { Destination } from '../../model/destinations.ts';
import { parseAliasName, quote } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { AliasChange, Change, CredentialChange, DomainChange, Plan } from '../../model/plan.ts';
import { SETTINGS } from '../../model/resources.ts';
import { referenceFinder, referencesBehind } from './snapshot-forwards.ts';
import { snapshotRules } from './snapshot-rules.ts';

export interface SnapshotInput {
  readonly plan: Pick<Plan, 'changes'>;
  readonly observed: Observed;
  readonly version: 'v4' | 'v3';
  /** Normalised value of a reference -> how the manifest writes it. */
  readonly references: ReadonlyMap<string, string>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * The manifest that reverses a run: what it changes as it was, what it adds as absent, what it deletes as it stood.
 * Everything else stays out, and nothing is pruned. Passwords cannot be read, so credentials that are deleted are named
 * in a comment only.
 */
export function snapshotDocument(input: SnapshotInput): ManifestDocument {
  const show = referenceFinder(input.references);
  const domains = new Map<string, DomainDocument>();
  for (const [domain, changes] of Map.groupBy(input.plan.changes, (change) => change.domain)) {
    domains.set(domain, snapshotDomain(changes, input.observed.domains.get(domain), show));
  }
  const { email } = input.observed.account;
  const brought = referencesBehind(desiredForwards(input.plan.changes), input.references);
  const destinations = new Map(brought.map((reference, index) => [`reference-${index + 1}`, reference]));
  return {
    version: 1,
    comments: [
      `Undoes the run of ${new Date(input.now).toISOString()}: fwdsync apply -f THIS-FILE`,
      'What the run added counts as a delete, and a domain that it added needs --allow-domain-delete.',
    ],
    api: { account: email, ...(input.version === 'v3' ? { version: input.version } : {}) },
    // Named so that undoing the run shows what it meets of them as references, too.
    ...(brought.length === 0 ? {} : { destinations }),
    domains,
  };
}

function* desiredForwards(changes: readonly Change[]): Generator<readonly Destination[]> {
  for (const { kind, desired } of changes) {
    if ((kind === 'alias' || kind === 'rule') && desired !== null) yield desired.forward;
  }
}

function snapshotDomain(
  changes: readonly Change[],
  live: ObservedDomain | undefined,
  show: ShowForward,
): DomainDocument {
  const own = changes.find((change) => change.kind === 'domain');
  if (own?.action === 'add' || live === undefined) return ABSENT;
  if (own?.action === 'delete') return restoreDomain(live, show);
  return { ...(own === undefined ? {} : oldSettings(own)), ...oldSections(changes, live, show) };
}

function oldSections(changes: readonly Change[], live: ObservedDomain, show: ShowForward): DomainDocument {
  const sections = SECTION_KINDS.map((kind) => OLD_SECTIONS[kind](changes, live, show));
  const comments = sections.flatMap((section) => section.comments ?? []);
  return Object.assign({}, ...sections, comments.length === 0 ? {} : { comments }) as DomainDocument;
}

const OLD_SECTIONS: Readonly<Record<SectionKind, typeof oldSections>> = {
  alias(changes, _, show) {
    const aliases = changes.filter((change) => change.kind === 'alias');
    const comments = unwritable(aliases);
    return aliases.length === 0 ? {} : { comments, aliases: oldAliases(aliases, show) };
  },
  rule(changes, live, show) {
    const rules = changes.filter((change) => change.kind === 'rule');
    return rules.length === 0 ? {} : { rules: snapshotRules(rules, live.rules ?? [], show) };
  },
  credential(changes) {
    const credentials = changes.filter((change) => change.kind === 'credential');
    const comments = credentials.flatMap(lostPassword);
    const added = credentials.filter(({ action }) => action === 'add');
    return added.length === 0
      ? { comments }
      : { comments, credentials: new Map(added.map(({ name }) => [name, ABSENT])) };
  },
};

const ABSENT = { state: 'absent' } as const;

/** A domain that is deleted comes back with all that was in it, but for its credentials. */
function restoreDomain(live: ObservedDomain, show: ShowForward): DomainDocument {
  const { aliases = [], rules = [], credentials = [] } = live;
  const writable = aliases.filter(({ name }) => parseAliasName(name).ok);
  const entries = new Map<string, ForwardDocument | typeof ABSENT>(
    writable.map(({ name, forward }) => [name, show(forward)]),
  );
  // The service may make a `*` with a domain: one that was not there must not come with it.
  if (!aliases.some(({ name }) => name === '*')) entries.set('*', ABSENT);
  const lost = credentials.map(({ name }) => `the credential ${quote(name)}: its password cannot be read`);
  const left = aliases
    .filter(({ name }) => !parseAliasName(name).ok)
    .map(({ name }) => cannotBeWritten(name));
  const comments = [...lost, ...left].map((text) => `Not restored: ${text}`);
  return {
    ...(comments.length === 0 ? {} : { comments }),
    ...settings(live, SETTINGS),
    aliases: entries,
    ...(rules.length === 0 ? {} : { rules: snapshotRules([], rules, show) }),
  };
}

function oldSettings(change: DomainChange): Partial<DomainDocument> {
  return settings(change.observed ?? {}, change.fields);
}

type Settings = Pick<ObservedDomain, 'webhook'> &
  Partial<Pick<ObservedDomain, 'notification_email' | 'whitelabel'>>;

function settings(
  state: Settings,
  fields: readonly ('notification_email' | 'whitelabel' | 'webhook')[],
): Partial<DomainDocument> {
  const known = fields.filter((field) => state[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, state[field] ?? 'none']));
}

function oldAliases(
  changes: readonly AliasChange[],
  show: ShowForward,
): NonNullable<DomainDocument['aliases']> {
  const writable = changes.filter(({ name }) => parseAliasName(name).ok);
  return new Map(
    writable.map(({ name, observed }) => [name, observed === null ? ABSENT : show(observed.forward)]),
  );
}

function unwritable(changes: readonly AliasChange[]): readonly string[] {
  return changes
    .filter(({ name }) => !parseAliasName(name).ok)
    .map(({ name }) => `Not undone: ${cannotBeWritten(name)}`);
}

function cannotBeWritten(name: string): string {
  return `the alias ${quote(name)}, whose name no manifest can hold`;
}

function lostPassword({ action, name }: CredentialChange): readonly string[] {
  if (action === 'add') return [];
  return [`Not undone: the credential ${quote(name)}, whose old password cannot be read`];
}
