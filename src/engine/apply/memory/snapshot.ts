import { changesOf } from '../../../core/manifest/update/entries.ts';
import { dropRefused } from '../../../core/manifest/write/drop-refused.ts';
import { writeManifest } from '../../../core/manifest/write/manifest-yaml.ts';
import { referenceFinder } from '../../../core/manifest/write/reference-finder.ts';
import { showText, type References } from '../../../core/model/destinations.ts';
import {
  ruleDocument,
  type DomainDocument,
  type ShowForward,
} from '../../../core/model/manifest/manifest-document.ts';
import type { Section } from '../../../core/model/kinds.ts';
import { quote, type DomainName } from '../../../core/model/names.ts';
import type { Observed, ObservedDomain } from '../../../core/model/observed.ts';
import type { AliasChange, Change, CredentialChange, RuleChange } from '../../../core/model/plan.ts';
import {
  SETTINGS,
  type RuleDocument,
  type ObservedRule,
  type DomainState,
  type SettingName,
} from '../../../core/model/resources.ts';
import { deletionsOf } from '../history/item-entries.ts';
import { referenceLine } from './snapshot-references.ts';

export interface SnapshotInput {
  readonly changes: readonly Change[];
  readonly observed: Observed;
  readonly version: 'v4' | 'v3';
  readonly references: References;
  /** Returns the keyed fingerprint of a value; null means that none can be made. */
  readonly print: ((value: string) => string) | null;
  /** What the history calls the run. */
  readonly run: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Writes the manifest of what was there before a run: what the run changes or deletes as it was, and what it adds as absent.
 * Everything else stays out, and nothing is pruned. Passwords cannot be read: a comment names the credentials that are deleted.
 */
export function writeSnapshot({ changes, observed, references, ...input }: SnapshotInput): string {
  const used = new Map<string, readonly string[]>();
  const show = referenceFinder(references, used);
  const domains = new Map<DomainName, DomainDocument>();
  for (const [domain, own] of Map.groupBy(changes, (change) => change.domain)) {
    domains.set(domain, withoutValues(domainBefore(own, observed.domains.get(domain), show), references));
  }
  const { version, print, run, now } = input;
  const comments = [
    `What run ${run} of ${new Date(now).toISOString()} changed, as it was before the run`,
    `To undo the run: fwdsync undo ${run}; to apply this file: fwdsync apply -f THIS-FILE`,
    ...[...used].flatMap(([shown, values]) => (print === null ? [] : [referenceLine(shown, values, print)])),
  ];
  const api = { account: observed.account.email, ...(version === 'v3' ? { version } : {}) };
  return writeManifest(dropRefused({ version: 1, comments, api, domains }, version));
}

function domainBefore(
  changes: readonly Change[],
  live: ObservedDomain | undefined,
  show: ShowForward,
): DomainDocument {
  const own = changes.find((change) => change.kind === 'domain');
  if (own?.action === 'add' || live === undefined) return ABSENT;
  if (own?.action === 'delete') return deletedDomain(live, show);
  const settings = own === undefined ? {} : settingsOf(own.observed ?? {}, own.fields);
  return { ...settings, ...sectionsBefore(changes, live, show) };
}

function deletedDomain(live: ObservedDomain, show: ShowForward): DomainDocument {
  const sections = sectionsBefore(deletionsOf(live), live, show);
  // The service may make a `*` with a domain: one that was not there must not come with it.
  const aliases = new Map([['*', ABSENT] as const, ...(sections.aliases ?? [])]);
  return { ...settingsOf(live, SETTINGS), ...sections, aliases };
}

const ABSENT = { state: 'absent' } as const;

function settingsOf(state: DomainState, fields: readonly SettingName[]): Partial<DomainDocument> {
  const known = fields.filter((field) => state[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, state[field] ?? 'none']));
}

function sectionsBefore(
  changes: readonly Change[],
  live: ObservedDomain,
  show: ShowForward,
): Pick<DomainDocument, Section | 'comments'> {
  const aliases = changesOf('alias', changes);
  const rules = changesOf('rule', changes);
  return {
    ...(aliases.length === 0 ? {} : { aliases: aliasesBefore(aliases, show) }),
    ...(rules.length === 0 ? {} : { rules: rulesBefore(rules, live, show) }),
    ...credentialsBefore(changesOf('credential', changes)),
  };
}

function aliasesBefore(
  changes: readonly AliasChange[],
  show: ShowForward,
): NonNullable<DomainDocument['aliases']> {
  return new Map(
    changes.map(({ name, observed }) => [name, observed === null ? ABSENT : show(observed.forward)]),
  );
}

/**
 * The rules of a domain as they were, each by its id. Where a run moves or deletes one, all live rules are listed in
 * their old order, because the neighbours of a rule define its place; else only those that change.
 */
function rulesBefore(
  changes: readonly RuleChange[],
  { rules = [] }: ObservedDomain,
  show: ShowForward,
): readonly RuleDocument[] {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const needsOrder = changes.some(({ action, fields }) => action === 'delete' || fields.includes('rank'));
  const listed = rules
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ id }) => needsOrder || byId.has(id))
    .map((rule) => ruleDocument(rule, nameOf(rule, byId.get(rule.id)), show));
  const added = changes.filter(isAdded);
  return [
    ...listed,
    ...added.map(({ id }): RuleDocument => ({ ...(id === null ? {} : { id }), state: 'absent' })),
  ];
}

function credentialsBefore(
  changes: readonly CredentialChange[],
): Pick<DomainDocument, 'credentials' | 'comments'> {
  const added = changes.filter(isAdded);
  const comments = changes
    .filter((change) => !isAdded(change))
    .map(({ name }) => `Left out: the credential ${quote(name)}, whose password cannot be read`);
  if (added.length === 0) return { comments };
  return { comments, credentials: new Map(added.map(({ name }) => [name, ABSENT])) };
}

function isAdded({ action }: Change): boolean {
  return action === 'add';
}

/** Names are the manifest's own; a rule that only the account has is named by its id, which no other rule has. */
function nameOf(rule: ObservedRule, change: RuleChange | undefined): string {
  const name = change?.name ?? rule.id;
  return change?.action === 'delete' && name !== rule.id ? `${name} (${rule.id})` : name;
}

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
    comments.push(show(`Left out: ${what}, which has the value of a reference`));
    return false;
  };
  const { aliases, rules } = document;
  const settings = SETTINGS.filter((setting) => !isKept(setting, document[setting]));
  const kept = Object.entries(document).filter(([key]) => !settings.some((setting) => setting === key));
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
