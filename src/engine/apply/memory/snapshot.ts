import { SECTION_KINDS } from '../../../core/kinds/registry.ts';
import type { SectionKind } from '../../../core/model/kinds.ts';
import { showText, type Destination, type References } from '../../../core/model/destinations.ts';
import {
  referenceLine,
  type DomainDocument,
  type ManifestDocument,
  type ShowForward,
} from '../../../core/model/manifest/manifest-document.ts';
import { ruleDocument } from '../../../core/kinds/rule/manifest-live.ts';
import { parseAliasName, quote } from '../../../core/model/names.ts';
import type { Observed, ObservedDomain } from '../../../core/model/observed.ts';
import type { Change, Plan, RuleChange } from '../../../core/model/plan.ts';
import { SETTINGS } from '../../../core/kinds/domain/fields.ts';
import type { ForwardDocument } from '../../../core/model/resources.ts';
import type { RuleDocument, ObservedRule } from '../../../core/kinds/rule/fields.ts';
import { referenceFinder, referencesBehind } from './snapshot-forwards.ts';
import { pickFields } from '../../../core/fields/fields.ts';

export interface SnapshotInput {
  readonly plan: Pick<Plan, 'changes'>;
  readonly observed: Observed;
  readonly version: 'v4' | 'v3';
  readonly references: References;
  /** Keyed fingerprint of a value; null: none can be made. */
  readonly print: ((value: string) => string) | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * The manifest that reverses a run: what it changes as it was, what it adds as absent, what it deletes as it stood.
 * Everything else stays out, and nothing is pruned. Passwords cannot be read, so credentials that are deleted are named
 * in a comment only.
 */
export function snapshotDocument(input: SnapshotInput): ManifestDocument {
  const used = new Map<string, readonly string[]>();
  const show = referenceFinder(input.references, used);
  const domains = new Map<string, DomainDocument>();
  for (const [domain, changes] of Map.groupBy(input.plan.changes, (change) => change.domain)) {
    const document = snapshotDomain(changes, input.observed.domains.get(domain), show);
    domains.set(domain, withoutValues(document, input.references));
  }
  const { email } = input.observed.account;
  const brought = referencesBehind(desiredForwards(input.plan.changes), input.references);
  const destinations = new Map(brought.map((reference, index) => [`reference-${index + 1}`, reference]));
  return {
    version: 1,
    comments: [
      `Undoes the run of ${new Date(input.now).toISOString()}: fwdsync apply -f THIS-FILE`,
      'What the run added counts as a delete, and a domain that it added needs --allow-domain-delete.',
      ...[...used].flatMap(([shown, values]) =>
        input.print === null ? [] : [referenceLine(shown, values, input.print)],
      ),
    ],
    api: { account: email, ...(input.version === 'v3' ? { version: input.version } : {}) },
    // Named so that undoing the run shows what it meets of them as references, too.
    ...(brought.length === 0 ? {} : { destinations }),
    domains,
  };
}

function* desiredForwards(changes: readonly Change[]): Generator<readonly Destination[]> {
  for (const { desired } of changes) {
    if (desired !== null && 'forward' in desired) yield desired.forward;
  }
}

function snapshotDomain(
  changes: readonly Change[],
  live: ObservedDomain | undefined,
  show: ShowForward,
): DomainDocument {
  const own = changes.find((change) => change.kind === 'domain');
  if (own?.action === 'add' || live === undefined) return ABSENT;
  const isDeleted = own?.action === 'delete';
  const settings = isDeleted
    ? settingsOf(live, Object.keys(SETTINGS), show)
    : settingsOf(own?.observed ?? {}, own?.fields ?? [], show);
  const sections = SECTION_KINDS.map((kind) =>
    isDeleted ? OLD_SECTIONS[kind].restore(live, show) : OLD_SECTIONS[kind].undo(changes, live, show),
  );
  const comments = sections.flatMap((section) => section.comments ?? []);
  return Object.assign({}, settings, ...sections, { comments }) as DomainDocument;
}

const ABSENT = { state: 'absent' } as const;

/** Leaves out what can only be written with the value of a reference: in a pattern, of a part of a list, by a relative path. */
function withoutValues(document: DomainDocument, references: References): DomainDocument {
  const comments: string[] = [];
  const show = (text: string): string => showText(text, { references, mask: false });
  const isKept = (what: string, written: unknown): boolean => {
    const texts: string[] = [];
    JSON.stringify(written, (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    if (texts.every((text) => show(text) === text)) return true;
    comments.push(show(`Not undone: ${what}, which has the value of a reference`));
    return false;
  };
  const { aliases, rules } = document;
  const kept = Object.entries(document).filter(([key, value]) => !(key in SETTINGS) || isKept(key, value));
  return {
    ...Object.fromEntries(kept),
    ...(aliases === undefined
      ? {}
      : { aliases: new Map([...aliases].filter((alias) => isKept(`the alias ${quote(alias[0])}`, alias))) }),
    ...(rules === undefined
      ? {}
      : { rules: rules.filter((rule) => isKept(`the rule ${quote(rule.name ?? rule.id ?? '')}`, rule)) }),
    comments: [...(document.comments ?? []), ...comments],
  };
}

function settingsOf(state: object, fields: readonly string[], show: ShowForward): Partial<DomainDocument> {
  const known = Object.entries(pickFields(SETTINGS, state)).filter(([field]) => fields.includes(field));
  return Object.fromEntries(
    known.map(([field, value]) => [field, SETTINGS[field]?.codec.write(value, show)]),
  );
}

interface OldSection {
  /** What the run changes of it, as it was. */
  readonly undo: (changes: readonly Change[], live: ObservedDomain, show: ShowForward) => DomainDocument;
  /** All of it, of a domain that is deleted. */
  readonly restore: (live: ObservedDomain, show: ShowForward) => DomainDocument;
}

const OLD_SECTIONS: Readonly<Record<SectionKind, OldSection>> = {
  alias: {
    undo(changes, _, show) {
      const aliases = changes.filter((change) => change.kind === 'alias');
      const entries = aliases.map(({ name, observed }): OldAlias => [
        name,
        observed === null ? ABSENT : show(observed.forward),
      ]);
      return aliases.length === 0 ? {} : aliasSection(entries, 'Not undone');
    },
    restore({ aliases = [] }, show) {
      const entries = Array.from(aliases, ({ name, forward }): OldAlias => [name, show(forward)]);
      // The service may make a `*` with a domain: one that was not there must not come with it.
      if (!entries.some(([name]) => name === '*')) entries.push(['*', ABSENT]);
      return aliasSection(entries, 'Not restored');
    },
  },
  rule: {
    undo(changes, { rules = [] }, show) {
      const own = changes.filter((change) => change.kind === 'rule');
      return own.length === 0 ? {} : { rules: ruleSection(own, rules, show) };
    },
    restore: ({ rules = [] }, show) => (rules.length === 0 ? {} : { rules: ruleSection([], rules, show) }),
  },
  credential: {
    undo(changes) {
      const own = changes.filter((change) => change.kind === 'credential');
      const [added, lost] = [own.filter(isAdded), own.filter((change) => !isAdded(change))];
      const comments = lost.map(
        ({ name }) => `Not undone: the credential ${quote(name)}, whose old password cannot be read`,
      );
      if (added.length === 0) return { comments };
      return { comments, credentials: new Map(added.map(({ name }) => [name, ABSENT])) };
    },
    restore: ({ credentials = [] }) => ({
      comments: credentials.map(
        ({ name }) => `Not restored: the credential ${quote(name)}: its password cannot be read`,
      ),
    }),
  },
};

type OldAlias = readonly [string, ForwardDocument | typeof ABSENT];

function aliasSection(aliases: readonly OldAlias[], failure: string): DomainDocument {
  const unwritable = aliases.filter(([name]) => !parseAliasName(name).ok);
  const comments = unwritable.map(
    ([name]) => `${failure}: the alias ${quote(name)}, whose name no manifest can hold`,
  );
  return { comments, aliases: new Map(aliases.filter(([name]) => parseAliasName(name).ok)) };
}

/**
 * The rules of a domain as they were, each by its id. Where a run moves or deletes one, all live rules are listed in
 * their old order, because the neighbours of a rule define its place; else only those that change.
 */
function ruleSection(
  changes: readonly RuleChange[],
  live: readonly ObservedRule[],
  show: ShowForward,
): readonly RuleDocument[] {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const needsOrder =
    changes.length === 0 ||
    changes.some(({ action, fields }) => action === 'delete' || fields.includes('rank'));
  const listed = live
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ id }) => needsOrder || byId.has(id))
    .map((rule) => ruleDocument(rule, nameOf(rule, byId.get(rule.id)), show));
  const added = changes.filter(({ action }) => action === 'add');
  return [
    ...listed,
    ...added.map(({ id }): RuleDocument => ({ ...(id === null ? {} : { id }), state: 'absent' })),
  ];
}

/** Names are the manifest's own; a rule that only the account has is named by its id, which no other rule has. */
function nameOf(rule: ObservedRule, change: RuleChange | undefined): string {
  const name = change?.name ?? rule.id;
  return change?.action === 'delete' && name !== rule.id ? `${name} (${rule.id})` : name;
}

function isAdded({ action }: Change): boolean {
  return action === 'add';
}
