import type { AliasSection } from '../../model/desired.ts';
import { sameDestinations, showDestinations, type Disclosure } from '../../model/destinations.ts';
import { nameKey } from '../../model/names.ts';
import type { AliasChange } from '../../model/plan.ts';
import { succeed } from '../../model/result.ts';
import type { AliasState, DesiredAlias, PresentAlias, ObservedAlias } from '../../model/resources.ts';
import {
  draftSection,
  notKeptWarning,
  origin,
  readLive,
  type SectionContext,
  type SectionDraft,
  type SectionResult,
} from './section.ts';
import { isKeptOtherwise, reasonFor } from './item-memory.ts';
import { describeForward, fieldText, type ShownChange, type ShownFields } from './shown.ts';

interface NamedContext extends SectionContext {
  /** Whether an alias of this name is there, or is to be. */
  readonly isName: (text: string) => boolean;
}

/** The difference of the aliases of a domain. */
export function planAliases(
  section: AliasSection,
  observed: readonly ObservedAlias[],
  context: SectionContext,
): SectionResult {
  const draft = draftSection('aliases');
  const found = readLive(section, observed, draft);
  if (!found.ok) return found;
  const { live, carried } = found.value;
  const { entries } = section;
  const isName = (id: string): boolean => live.has(nameKey(id)) || entries.has(nameKey(id));
  const named: NamedContext = { ...context, isName };
  for (const [key, entry] of entries) {
    if (!carried.has(key)) planEntry(entry, live.get(key), named, draft);
  }
  for (const [key, alias] of live) {
    if (!carried.has(key) && !entries.has(key)) planDelete(alias, null, named, draft);
  }
  return succeed(draft);
}

function planEntry(
  entry: DesiredAlias,
  alias: ObservedAlias | undefined,
  context: NamedContext,
  draft: SectionDraft,
): void {
  if (entry.state === 'absent') {
    if (alias !== undefined) planDelete(alias, entry, context, draft);
    return;
  }
  if (alias !== undefined && sameDestinations(alias.forward, entry.forward)) {
    draft.unchanged += 1;
    return;
  }
  const wanted = aliasSignature(entry, context.references);
  const live = alias === undefined ? null : aliasSignature(alias, context.references);
  if (isKeptOtherwise('alias', entry.name, { wanted, live }, context)) {
    draft.warnings.push(notKeptWarning('alias', entry, context));
    return;
  }
  const change = changeOf(entry, alias, context);
  draft.changes.push(change);
  if (isServiceOwn(alias, context)) draft.serviceOwn.push(change);
}

function changeOf(entry: PresentAlias, alias: ObservedAlias | undefined, context: NamedContext): AliasChange {
  const desired = { forward: entry.forward };
  return {
    ...origin(entry),
    kind: 'alias',
    action: alias === undefined ? 'add' : 'update',
    domain: context.domain,
    name: alias?.name ?? entry.name,
    id: alias?.id ?? null,
    observed: alias === undefined ? null : { forward: alias.forward },
    desired,
    fields: ['forward'],
    stage: 1,
    conditional: false,
    reason: reasonFor('alias', entry.name, aliasSignature(desired, context.references), context),
    ...idIsName(alias, context),
  };
}

/** Because an entry says so, or, without one, because its section is pruned. */
function planDelete(
  alias: ObservedAlias,
  entry: DesiredAlias | null,
  context: NamedContext,
  draft: SectionDraft,
): void {
  const change: AliasChange = {
    ...(entry === null ? { source: null } : origin(entry)),
    kind: 'alias',
    action: 'delete',
    domain: context.domain,
    name: alias.name,
    id: alias.id,
    observed: { forward: alias.forward },
    desired: null,
    fields: [],
    stage: 2,
    conditional: false,
    reason: entry === null ? 'prune' : 'absent',
    ...idIsName(alias, context),
  };
  draft.changes.push(change);
  if (isServiceOwn(alias, context)) draft.serviceOwn.push(change);
}

function idIsName(alias: ObservedAlias | undefined, { isName }: NamedContext): Pick<AliasChange, 'idIsName'> {
  return alias !== undefined && isName(alias.id) ? { idIsName: true } : {};
}

/** Whether the service made it with the domain, and nobody has changed it since. */
function isServiceOwn(alias: ObservedAlias | undefined, { prior, references }: SectionContext): boolean {
  const given = prior?.givenCatchAll;
  return alias?.name === '*' && given === aliasSignature(alias, references);
}

/** What is remembered of an alias; see `signature`. */
export function aliasSignature({ forward }: AliasState, references: Disclosure['references']): string {
  return showDestinations(forward, { references, mask: false });
}

export function aliasFields({ forward }: AliasState, disclosure: Disclosure): ShownFields {
  return { forward: showDestinations(forward, disclosure) };
}

/** What becomes of its destinations, in words. */
export function describeAlias({ observed, desired }: ShownChange): string {
  if (observed !== null && desired !== null) return describeForward(observed, desired);
  return fieldText('forward', observed ?? desired ?? { forward: '' });
}
