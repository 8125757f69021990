import { describeChange } from './describe.ts';
import { stableJson } from '../document/digest.ts';
import type { ChangeDocument, PlanDocument } from '../document/document.ts';
import { describeRoute, type RouteRow } from './render-routes.ts';
import { SYMBOLS } from './render-text.ts';
import { sendsSecret } from '../../kinds/items.ts';

/** One difference between the saved plan and a fresh one; null means that the item is not in that plan. */
export interface Difference {
  /** The subject, such as `acme.example alias sales`. */
  readonly subject: string;
  readonly was: string | null;
  readonly is: string | null;
}

/**
 * Compares a saved plan with the fresh one. Returns the differences that make it stale; null means that the approval
 * holds.
 */
export function staleSince(saved: PlanDocument, fresh: PlanDocument): readonly Difference[] | null {
  if (fresh.digest !== saved.digest) return comparePlans(saved, fresh);
  const unapproved = unapprovedChanges(saved, fresh);
  return unapproved.length === 0 ? null : unapproved;
}

/** Lists the differences from the saved plan: account, manifest, then item by item, guards and allowances. */
export function comparePlans(saved: PlanDocument, fresh: PlanDocument): readonly Difference[] {
  return [
    ...compareText('account', showApi(saved), showApi(fresh)),
    ...(saved.manifest.digest === fresh.manifest.digest
      ? []
      : [{ subject: 'manifest', was: 'as it was planned', is: 'edited since' }]),
    ...compareLists(saved.changes, fresh.changes, {
      keyOf: subjectOf,
      show: showChange,
      contentOf: contentOfChange,
    }),
    ...compareLists(saved.routes ?? [], fresh.routes ?? [], {
      keyOf: (route) => `mail to ${describeRoute(route).who}`,
      show: (route) => showRoute(describeRoute(route)),
      contentOf: ({ messages: _, ...route }) => route,
    }),
    ...compareLists(saved.guards, fresh.guards, {
      keyOf: ({ guard, scope }) => `${guard} ${scope}`,
      show: ({ message, allowed }) => (allowed ? `${message} (allowed)` : message),
      contentOf: (guard) => guard,
    }),
    ...compareLists(saved.withheld, fresh.withheld, {
      keyOf: ({ domain }) => `${domain} withheld`,
      show: ({ reason }) => reason,
      contentOf: (withheld) => withheld,
    }),
    ...compareText('allowances', saved.allowances.join(' '), fresh.allowances.join(' ')),
  ];
}

/**
 * Returns the changes that the fresh plan has and the saved one does not, although manifest and account are the same.
 * They come from the state directory. Changed passwords are excepted: only the state directory shows them, and the
 * manifest asks for them.
 */
function unapprovedChanges(saved: PlanDocument, fresh: PlanDocument): readonly Difference[] {
  const approved = new Set(saved.changes.map((change) => stableJson(contentOfChange(change))));
  return fresh.changes
    .filter((change) => !isNewPassword(change) && !approved.has(stableJson(contentOfChange(change))))
    .map((change) => ({ subject: subjectOf(change), was: null, is: showChange(change) }));
}

function isNewPassword(change: ChangeDocument): boolean {
  return sendsSecret(change) && change.reason !== 'rotate';
}

function compareText(subject: string, was: string, is: string): readonly Difference[] {
  return was === is ? [] : [{ subject, was: was || null, is: is || null }];
}

interface Comparison<Item> {
  readonly keyOf: (item: Item) => string;
  readonly show: (item: Item) => string;
  /** Returns all that makes two items differ, shown or not. */
  readonly contentOf: (item: Item) => unknown;
}

function compareLists<Item>(
  saved: readonly Item[],
  fresh: readonly Item[],
  { keyOf, show, contentOf }: Comparison<Item>,
): readonly Difference[] {
  const before = Map.groupBy(saved, keyOf);
  const after = Map.groupBy(fresh, keyOf);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((subject) => {
    const was = before.get(subject);
    const is = after.get(subject);
    if (stableJson(was?.map(contentOf)) === stableJson(is?.map(contentOf))) return [];
    return [{ subject, was: was?.map(show).join('; ') ?? null, is: is?.map(show).join('; ') ?? null }];
  });
}

function subjectOf({ domain, kind, name }: ChangeDocument): string {
  return kind === 'domain' ? `${domain} domain` : `${domain} ${kind} ${name}`;
}

function showRoute({ text, note }: RouteRow): string {
  return note === '' ? text : `${text} ${note}`;
}

function showChange(change: ChangeDocument): string {
  const { text, note } = describeChange(change);
  return [SYMBOLS[change.action], text, note].filter((part) => part !== '').join(' ');
}

/**
 * Returns a change's content without its place. Drift counts as `manifest`, because only the state directory can tell
 * them apart.
 */
function contentOfChange({ source: _, via: __, reason, ...content }: ChangeDocument): unknown {
  return { ...content, reason: reason === 'drift' ? 'manifest' : reason };
}

function showApi({ api }: PlanDocument): string {
  return `${api.account} at ${api.url}`;
}
