import { isSection } from '../kinds/registry.ts';
import type { FindingSubject } from '../model/lint/findings.ts';
import { parseDomainName } from '../model/names.ts';
import { compareSources, type Problem, type Source } from '../model/manifest/problem.ts';
import { entriesOf, itemsOf, textOf, valueOf, type Entry, type Node } from './read/node.ts';
import { sourceOf, type Place } from './read/text.ts';
import { isMisplacedPart } from './resolve/domains.ts';

/** The subject of everything from its place up to the next start. */
interface Start {
  readonly source: Source;
  /** The top-level key of the document that it is below. */
  readonly part: string;
  readonly subject: FindingSubject;
}

/** The subjects of problems, by the problems' places. */
export interface Subjects {
  /** Returns the domain and the entry of a problem: its own subject, else the one at its place. */
  readonly of: (problem: Problem) => FindingSubject;
  /** Returns the top-level key that a problem is below; undefined if there is none. */
  readonly partOf: (problem: Problem) => string | undefined;
}

export function createSubjects(documents: readonly Node[]): Subjects {
  const byFile = new Map<string, readonly Start[]>();
  const startOf = ({ source }: Problem): Start | undefined => {
    if (source === null) return undefined;
    const { file } = source;
    const starts = byFile.get(file) ?? startsOf(documents.filter(({ within }) => within.file === file));
    byFile.set(file, starts);
    return lastBefore(source, starts);
  };
  return {
    of: (problem) => problem.subject ?? startOf(problem)?.subject ?? {},
    partOf: (problem) => startOf(problem)?.part,
  };
}

function startsOf(documents: readonly Node[]): readonly Start[] {
  return documents
    .flatMap((document) => [...startsIn(document)])
    .sort((a, b) => compareSources(a.source, b.source));
}

function lastBefore(source: Source, starts: readonly Start[]): Start | undefined {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareSources(starts[middle]?.source ?? null, source) <= 0) low = middle + 1;
    else high = middle;
  }
  return starts[low - 1];
}

function* startsIn(document: Node): Generator<Start> {
  for (const { key, value } of entriesOf(document)) {
    const part = key.text;
    yield { part, ...startAt(key, {}) };
    if (part !== 'domains' && part !== 'templates') continue;
    let subject: FindingSubject = {};
    for (const entry of entriesOf(value)) {
      const domain = part === 'domains' ? parseDomainName(entry.key.text) : null;
      if (!isMisplacedPart(entry.key.text)) subject = domain?.ok === true ? { domain: domain.value } : {};
      for (const start of startsInDomain(entry, subject)) yield { part, ...start };
    }
  }
}

function* startsInDomain({ key, value }: Entry, subject: FindingSubject): Generator<StartOfSubject> {
  yield startAt(key, subject);
  for (const { key: part, value: content } of entriesOf(value)) {
    yield startAt(part, subject);
    if (isSection(part.text)) yield* startsInSection(content, subject);
  }
}

function* startsInSection(section: Node, subject: FindingSubject): Generator<StartOfSubject> {
  for (const { key } of entriesOf(section)) yield startAt(key, { ...subject, entries: [key.text] });
  if (section.kind !== 'list') return;
  for (const rule of itemsOf(section)) {
    const name = textOf(valueOf(rule, 'name'));
    yield startAt(rule, name === undefined ? subject : { ...subject, entries: [name] });
  }
}

type StartOfSubject = Omit<Start, 'part'>;

function startAt(place: Place, subject: FindingSubject): StartOfSubject {
  return { source: sourceOf(place), subject };
}
