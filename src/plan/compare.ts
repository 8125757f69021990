import { describeChange } from './describe.ts';
import { stableJson } from './digest.ts';
import type { ChangeDocument, GuardDocument, PlanDocument } from './document.ts';
import { SYMBOLS } from './text.ts';

/** One thing that a fresh plan says otherwise than the saved one; null: it is not in that plan. */
export interface Difference {
  /** What it is about, such as `acme.example alias sales`. */
  readonly subject: string;
  readonly was: string | null;
  readonly is: string | null;
}

/** What became of a plan since it was saved: account, manifest, then item by item, guards and allowances. */
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
    ...compareLists(saved.guards, fresh.guards, {
      keyOf: guardSubject,
      show: showGuard,
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

function compareText(subject: string, was: string, is: string): readonly Difference[] {
  return was === is ? [] : [{ subject, was: was || null, is: is || null }];
}

interface Comparison<Item> {
  readonly keyOf: (item: Item) => string;
  readonly show: (item: Item) => string;
  /** All that makes two items differ, shown or not. */
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

function showChange(change: ChangeDocument): string {
  const { text, note } = describeChange(change);
  return [SYMBOLS[change.action], text, note].filter((part) => part !== '').join(' ');
}

function contentOfChange({ source: _, via: __, ...content }: ChangeDocument): unknown {
  return content;
}

function guardSubject({ guard, scope }: GuardDocument): string {
  return `${guard} ${scope}`;
}

function showGuard({ message, allowed }: GuardDocument): string {
  return allowed ? `${message} (allowed)` : message;
}

function showApi({ api }: PlanDocument): string {
  return `${api.account} at ${api.url}`;
}
