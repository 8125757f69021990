import { isSection } from '../kinds/registry.ts';
import type { FindingSubject } from '../model/lint/findings.ts';
import { parseDomainName } from '../model/names.ts';
import { compareSources, type Problem, type Source } from '../model/manifest/problem.ts';
import { entriesOf, itemsOf, textOf, valueOf, type Entry, type Node } from './read/node.ts';
import { sourceOf, type Place } from './read/text.ts';

/** From its place on, up to the next, everything is about this. */
interface Start {
  readonly source: Source;
  readonly subject: FindingSubject;
}

/** Which domain and entry a problem is about: what it says itself, else what is written at its place. */
export function createSubjects(documents: readonly Node[]): (problem: Problem) => FindingSubject {
  const byFile = new Map<string, readonly Start[]>();
  return ({ subject, source }) => {
    if (subject !== undefined || source === null) return subject ?? {};
    const { file } = source;
    const starts = byFile.get(file) ?? startsOf(documents.filter(({ within }) => within.file === file));
    byFile.set(file, starts);
    return lastBefore(source, starts)?.subject ?? {};
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
    yield startAt(key, {});
    if (key.text !== 'domains' && key.text !== 'templates') continue;
    for (const entry of entriesOf(value)) yield* startsInDomain(entry, key.text);
  }
}

function* startsInDomain({ key, value }: Entry, within: 'domains' | 'templates'): Generator<Start> {
  const domain = within === 'domains' ? parseDomainName(key.text) : null;
  const subject: FindingSubject = domain?.ok === true ? { domain: domain.value } : {};
  yield startAt(key, subject);
  for (const { key: part, value: content } of entriesOf(value)) {
    yield startAt(part, subject);
    if (isSection(part.text)) yield* startsInSection(content, subject);
  }
}

function* startsInSection(section: Node, subject: FindingSubject): Generator<Start> {
  for (const { key } of entriesOf(section)) yield startAt(key, { ...subject, entries: [key.text] });
  if (section.kind !== 'list') return;
  for (const rule of itemsOf(section)) {
    const name = textOf(valueOf(rule, 'name'));
    yield startAt(rule, name === undefined ? subject : { ...subject, entries: [name] });
  }
}

function startAt(place: Place, subject: FindingSubject): Start {
  return { source: sourceOf(place), subject };
}
