import type { DomainName } from '../../../model/names.ts';
import { entriesOf, itemsOf, type Node } from '../../read/node.ts';
import type { Loading } from '../../resolve/context.ts';
import type { Subjects } from '../../subjects.ts';

/** The parts of a manifest that lint cannot judge because of errors. */
export interface Gaps {
  /** True if no error may have left out a domain or an entry. */
  readonly isSound: boolean;
  /** False if an error may have left out a part of a domain, such as an entry that a finding depends on. */
  readonly isWhole: (domain: DomainName) => boolean;
  /** True if an entry that was left out or misspelt may use this definition. */
  readonly mayUse: (kind: 'destination' | 'template', name: string) => boolean;
}

/** Parts of a document that no finding depends on. */
const APART: ReadonlySet<string | undefined> = new Set(['api', 'guards', 'lint']);

export function createGaps(
  documents: readonly Node[],
  { log, completeness }: Pick<Loading, 'log' | 'completeness'>,
  subjects: Subjects,
): Gaps {
  const isRead = completeness === 'complete';
  const errors = log.errors().filter((error) => !APART.has(subjects.partOf(error)));
  // The wrong name of a domain does not affect another domain.
  const broken = new Set(
    errors
      .map((error) => [subjects.of(error).domain, subjects.partOf(error)] as const)
      .flatMap(([domain, part]) => (domain === undefined && part === 'domains' ? [] : [domain])),
  );
  let texts: ReadonlySet<string> | undefined;
  return {
    isSound: isRead && errors.length === 0,
    isWhole: (domain) => isRead && !broken.has(undefined) && !broken.has(domain),
    mayUse(kind, name) {
      if (!isRead || errors.some(({ code }) => code === `unknown-${kind}`)) return true;
      return errors.length > 0 && (texts ??= new Set(documents.flatMap(textsIn))).has(name);
    },
  };
}

/** Returns all texts below a node, without keys. */
function textsIn(node: Node): readonly string[] {
  if (node.kind === 'text') return [node.text];
  const parts = node.kind === 'list' ? itemsOf(node) : [...entriesOf(node)].map(({ value }) => value);
  return parts.flatMap(textsIn);
}
