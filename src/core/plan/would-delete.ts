import { isDiscard, type Destination } from '../model/destinations.ts';
import type { Desired, DesiredDomain, PresentDomain } from '../model/desired.ts';
import { FINDINGS, type FindingCode, type FindingSubject } from '../model/lint/findings.ts';
import type { DomainName, NameKey } from '../model/names.ts';
import { leftBehindWords, NO_LONGER_MANAGED } from './left-behind.ts';
import type { Reason } from '../model/plan.ts';
import { showSource, type Problem, type Source } from '../model/manifest/problem.ts';
import { KINDS, SECTION_KINDS } from '../kinds/registry.ts';
import type { Kind, SectionKind } from '../model/kinds.ts';
import type { DesiredRule } from '../kinds/rule/fields.ts';

/** An item that the earlier manifest asked for and that the later one deletes. */
export interface WouldDelete {
  readonly kind: Kind;
  readonly domain: DomainName;
  readonly name: string;
  readonly reason: Extract<Reason, 'prune' | 'absent' | 'type-change' | 'tombstone'>;
  /** The place in the later manifest: the entry, or the domain that prunes. */
  readonly source: Source;
}

export interface ManifestDifference {
  readonly deletes: readonly WouldDelete[];
  readonly warnings: readonly Problem[];
}

/**
 * Compares two manifests: finds the items that the later one would delete, and those that it stops managing. Pure; it
 * knows only the manifests.
 */
export function wouldDelete(before: Desired, after: Desired): ManifestDifference {
  const deletes: WouldDelete[] = [];
  const warnings: Problem[] = [];
  for (const later of after.domains.values()) {
    const earlier = before.domains.get(later.domain);
    const found = deletesOf(earlier, later);
    deletes.push(...found);
    const catchAll = catchAllWarnings(earlier, later);
    warnings.push(...pruneWarnings(earlier, later), ...catchAll);
    // A missing catch-all is already reported.
    const reported = catchAll.length === 0 ? [] : ['*'];
    warnings.push(...unnamedWarnings(earlier, later, reported));
  }
  warnings.unshift(...deleteWarnings(deletes));
  for (const earlier of before.domains.values()) {
    if (after.domains.has(earlier.domain) || earlier.state === 'absent') continue;
    warnings.push(
      warn(
        'domain-gone',
        { source: null, domain: earlier.domain },
        {
          message: `${earlier.domain} is no longer in the manifest: it stays as it is and is no longer managed`,
          hint: 'to delete the domain, write `state: absent`',
        },
      ),
    );
  }
  return { deletes, warnings };
}

function deletesOf(earlier: DesiredDomain | undefined, later: DesiredDomain): readonly WouldDelete[] {
  const { domain, source } = later;
  if (later.state === 'absent') {
    if (earlier?.state === 'absent') return [];
    return [{ kind: 'domain', domain, name: domain, reason: 'tombstone', source }];
  }
  return SECTION_KINDS.flatMap((kind) => {
    const { items: was } = sectionOf(earlier, kind);
    const { items, prune } = sectionOf(later, kind);
    const named = [...items].flatMap(([key, item]) => namedDelete(was.get(key), item, { kind, domain }));
    const left = prune ? [...was].filter(([key, { state }]) => state === 'present' && !items.has(key)) : [];
    const pruned = left.map(([, { name }]) => ({ kind, domain, name, reason: 'prune' as const, source }));
    return [...named, ...pruned];
  });
}

/** Returns the delete of a named entry: it is a tombstone now and was not, or its type changed. */
function namedDelete(
  was: Item | undefined,
  { name, state, type, source }: Item,
  place: Pick<WouldDelete, 'kind' | 'domain'>,
): readonly WouldDelete[] {
  if (state === 'absent') {
    return was?.state === 'absent' ? [] : [{ ...place, name, reason: 'absent', source }];
  }
  if (was?.state !== 'present' || was.type === type) return [];
  return [{ ...place, name, reason: 'type-change', source }];
}

/** The entry of one name in a section. */
interface Item {
  readonly name: string;
  readonly state: 'present' | 'absent';
  /** The type of a rule. A rule with another type is another rule. */
  readonly type?: string;
  readonly source: Source;
}

interface Entries {
  readonly prune: boolean;
  readonly items: ReadonlyMap<string, Item>;
}

function sectionOf(domain: DesiredDomain | undefined, kind: SectionKind): Entries {
  const section = domain?.state === 'present' ? domain[KINDS[kind].section] : undefined;
  const { prune = false, entries = [] } = section ?? {};
  return { prune, items: 'size' in entries ? entries : new Map(entries.map(ruleItem)) };
}

/** Returns a rule by its name. A tombstone has a name or an id, and no type. */
function ruleItem(rule: DesiredRule): [string, Item] {
  const name = (rule.name ?? rule.id) as string;
  const { state, source } = rule;
  return [name, { name, state, source, ...(state === 'present' ? { type: rule.match.type } : {}) }];
}

/** Returns one warning for each manifest line that deletes something, however many items it deletes. */
function deleteWarnings(deletes: readonly WouldDelete[]): readonly Problem[] {
  const groups = Map.groupBy(deletes, ({ reason, source }) => `${reason} ${showSource(source)}`);
  return [...groups.values()].map((group) => warnOfDeletes(group as [WouldDelete, ...WouldDelete[]]));
}

const MOST_NAMED = 3;

function warnOfDeletes(all: readonly [WouldDelete, ...WouldDelete[]]): Problem {
  const [first] = all;
  const reason = first.reason.replace('-', ' ');
  const named = all.slice(0, MOST_NAMED).map(nameOf).join(', ');
  const rest = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '';
  const count = all.length === 1 ? '' : `${all.length} items: `;
  const entries = all.flatMap(({ kind, name }) => (kind === 'domain' ? [] : [name]));
  return warn(
    'would-delete',
    { source: first.source, domain: first.domain, entries },
    {
      message: `this change deletes ${count}${named}${rest} (${reason})`,
      hint:
        first.kind === 'domain'
          ? 'plan shows how much is deleted with it'
          : 'plan shows the item in the account',
    },
  );
}

function nameOf({ kind, domain, name }: WouldDelete): string {
  return kind === 'domain' ? `the domain ${domain} with everything in it` : `${kind} ${name} of ${domain}`;
}

/** Warns of sections that begin to prune. Only the account shows what they delete. */
function pruneWarnings(earlier: DesiredDomain | undefined, later: DesiredDomain): readonly Problem[] {
  return SECTION_KINDS.filter((kind) => sectionOf(later, kind).prune && !sectionOf(earlier, kind).prune).map(
    (kind) =>
      warn('would-delete', later, {
        message: `the ${KINDS[kind].plural} of ${later.domain} are pruned from now on: everything else in the account will be deleted`,
        hint: 'plan lists it',
      }),
  );
}

/** Warns of entries that only the earlier manifest named and that nothing deletes. */
function unnamedWarnings(
  earlier: DesiredDomain | undefined,
  later: DesiredDomain,
  reported: readonly string[],
): readonly Problem[] {
  if (later.state === 'absent') return [];
  return SECTION_KINDS.flatMap((kind) => {
    const { items, prune } = sectionOf(later, kind);
    const left = prune ? [] : [...sectionOf(earlier, kind).items];
    return left
      .filter(([key, { state }]) => state === 'present' && !items.has(key) && !reported.includes(key))
      .map(([, { name }]) => {
        const place = { source: later.source, domain: later.domain, entries: [name] };
        return warn(NO_LONGER_MANAGED, place, leftBehindWords(kind, name, later.domain));
      });
  });
}

function catchAllWarnings(earlier: DesiredDomain | undefined, later: DesiredDomain): readonly Problem[] {
  if (earlier?.state !== 'present' || later.state === 'absent') return [];
  const now = catchAllOf(later);
  if (!delivers(catchAllOf(earlier)) || delivers(now)) return [];
  const state = now === null ? 'is no longer in the manifest' : 'discards its mail';
  return [
    warn(
      'catch-all-gone',
      { ...later, ...now, entries: ['*'] },
      {
        message: `the catch-all of ${later.domain} ${state}`,
        hint: 'mail to addresses that nothing else matches may be lost',
      },
    ),
  ];
}

interface CatchAll {
  readonly forward: readonly Destination[];
  readonly source: Source;
}

function delivers(catchAll: CatchAll | null): boolean {
  return catchAll !== null && !isDiscard(catchAll.forward);
}

function catchAllOf({ aliases }: PresentDomain): CatchAll | null {
  const alias = aliases?.entries.get('*' as NameKey);
  return alias?.state === 'present' ? alias : null;
}

function warn(
  code: FindingCode,
  { source, domain, entries = [] }: FindingSubject & { readonly source: Source | null },
  said: { readonly message: string; readonly hint: string },
): Problem {
  const subject = { ...(domain === undefined ? {} : { domain }), entries };
  return { severity: FINDINGS[code], code, ...said, source, subject };
}
