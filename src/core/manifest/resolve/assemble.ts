import { quote } from '../../model/names.ts';
import { valueOf, type Entry, type MapNode, type Node } from '../read/node.ts';
import type { ProblemLog } from '../problems.ts';

/** All documents of all files as one manifest, as written. */
export interface Manifest {
  readonly api: MapNode | null;
  readonly guards: MapNode | null;
  /** The `lint` section of each document that has one. */
  readonly lint: readonly Node[];
  readonly destinations: Definitions;
  readonly templates: Definitions;
  readonly defaults: Definitions;
  /** Domains by name as written; two spellings of one domain are found later. */
  readonly domains: readonly Entry[];
  /** `incomplete` if a text could not be read; a missing name may be in it. */
  readonly completeness: 'complete' | 'incomplete';
}

export type Definitions = ReadonlyMap<string, Entry>;

/** Combines the documents. A second statement of something that may be stated once is reported with both places. */
export function assemble(
  documents: readonly Node[],
  completeness: Manifest['completeness'],
  log: ProblemLog,
): Manifest {
  const maps = documents.filter((document) => document.kind === 'map');
  return {
    api: single('api', maps, log),
    guards: single('guards', maps, log),
    lint: maps.flatMap((map) => valueOf(map, 'lint') ?? []),
    destinations: definitions('destinations', maps, log),
    templates: definitions('templates', maps, log),
    defaults: definitions('defaults', maps, log),
    domains: maps.flatMap((map) => entriesUnder('domains', map)),
    completeness,
  };
}

function single(key: string, documents: readonly MapNode[], log: ProblemLog): MapNode | null {
  let first: Entry | undefined;
  for (const document of documents) {
    const entry = document.entries.get(key);
    if (entry === undefined) continue;
    if (first === undefined) first = entry;
    else reportTwice(key, entry, first, log);
  }
  return first?.value.kind === 'map' ? first.value : null;
}

function definitions(key: string, documents: readonly MapNode[], log: ProblemLog): Definitions {
  const all = new Map<string, Entry>();
  for (const entry of documents.flatMap((document) => entriesUnder(key, document))) {
    const name = entry.key.text;
    const first = all.get(name);
    if (first === undefined) all.set(name, entry);
    else reportTwice(`${key}: ${name}`, entry, first, log);
  }
  return all;
}

function entriesUnder(key: string, document: MapNode): readonly Entry[] {
  const section = document.entries.get(key)?.value;
  return section?.kind === 'map' ? [...section.entries.values()] : [];
}

function reportTwice(what: string, entry: Entry, first: Entry, log: ProblemLog): void {
  log.report('duplicate-definition', entry.key, {
    message: `${quote(what)} is defined twice`,
    hint: 'keep one of the two; all documents and files of a run share it',
    related: first.key,
  });
}
