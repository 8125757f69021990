import { DISCARD, type Destination, type Reference } from '../../../model/destinations.ts';
import { quote } from '../../../model/names.ts';
import type { ReferenceValue } from '../../../model/desired.ts';
import type { Definitions, Manifest } from '../assemble.ts';
import { MAX_ENTRIES, type LoadOptions, type DestinationBook } from '../context.ts';
import { parseDestination } from './destination-text.ts';
import { isNull, itemsOf, type Node, type TextNode } from '../../read/node.ts';
import type { ProblemLog } from '../../problems.ts';
import { readReference, refusalOf } from './references.ts';
import { didYouMean } from '../../read/suggest.ts';

interface Book {
  readonly options: LoadOptions;
  readonly log: ProblemLog;
  readonly manifest: Manifest;
  readonly groups: Map<string, Group>;
  /** Names of the groups that are being expanded, outermost first. */
  readonly open: string[];
  /** Levels of groups in the current or last resolved value. */
  height: number;
  /** The number of destinations that all entries and groups may still have; null after the limit was exceeded. */
  room: number | null;
  /**
   * `reported` after groups that are too deep were reported. Every group of the chain is too deep, so the others are
   * not.
   */
  depth: 'fine' | 'reported';
  /** Destinations by the text of an address or webhook, so that equal texts share one list. */
  readonly parsed: Map<string, { readonly destinations: readonly Destination[]; uses: number }>;
  readonly references: Map<string, Reference>;
  /** The use of the current value: for an entry, or for a group that no entry uses. */
  use: 'entry' | 'spare';
}

interface Group {
  /** null means that something in it is wrong and reported. */
  readonly destinations: readonly Destination[] | null;
  readonly height: number;
  /** The use that it was expanded for. */
  readonly use: Book['use'];
}

/** The most levels of groups within groups, which is more than a person can follow. */
const MAX_LEVELS = 32;
/** The most destinations for each entry that a manifest may have. */
const DESTINATIONS_PER_ENTRY = 10;

export function createDestinationBook(
  manifest: Manifest,
  options: LoadOptions,
  log: ProblemLog,
): DestinationBook {
  const book: Book = {
    options,
    log,
    manifest,
    groups: new Map(),
    open: [],
    height: 0,
    depth: 'fine',
    room: (options.maxEntries ?? MAX_ENTRIES) * DESTINATIONS_PER_ENTRY,
    parsed: new Map(),
    references: new Map(),
    use: 'entry',
  };
  for (const { key } of manifest.destinations.values()) checkGroupName(key, book);
  return {
    references: book.references,
    written: book.parsed,
    resolve: (node) => (node === undefined ? null : resolveValue(node, book)),
    isUsed: (name) => book.groups.get(name)?.use === 'entry',
    checkSpares() {
      book.use = 'spare';
      for (const [name, { key }] of manifest.destinations) resolveGroup(name, key, book);
    },
  };
}

function resolveValue(node: Node, book: Book): readonly Destination[] | null {
  if (node.kind !== 'text') return resolveItems(node, book);
  const one = resolveItem(node, book);
  return one !== null && hasRoom(node, one.length, book) ? one : null;
}

function resolveItems(node: Node, book: Book): readonly Destination[] | null {
  const resolved = itemsOf(node).map((item) => resolveItem(item, book));
  const known = resolved.filter((destinations) => destinations !== null);
  const count = known.reduce((sum, { length }) => sum + length, 0);
  if (known.length < resolved.length || count === 0 || !hasRoom(node, count, book)) return null;
  const [first = []] = known;
  const all = known.length === 1 ? first : known.flat();
  const distinct = all.length === 1 ? all : [...new Set(all)];
  if (distinct.length === 1 || !distinct.includes(DISCARD)) return distinct;
  book.log.report('discard-not-alone', node, {
    message: '`discard` cannot be combined with other destinations',
    hint: 'write `discard` alone, or leave it out',
  });
  return null;
}

/**
 * True if the limit of destinations allows these. Groups within groups, and large groups in many entries, multiply.
 */
function hasRoom(node: Node, count: number, book: Book): boolean {
  if (book.room === null) return false;
  book.room -= count;
  if (book.room >= 0) return true;
  book.room = null;
  book.log.report('too-many-entries', node, {
    message: 'with expanded groups, the entries have too many destinations',
    hint: 'forward to a mailing list, or raise --max-entries (FWDSYNC_MAX_ENTRIES) if there is enough memory',
  });
  return false;
}

function resolveItem(node: Node, book: Book): readonly Destination[] | null {
  if (node.kind === 'map') return resolveReferenceNode(node, book);
  if (node.kind !== 'text' || isNull(node) || node.text === '') return null;
  const known = book.parsed.get(node.text);
  if (known !== undefined) {
    known.uses += 1;
    return known.destinations;
  }
  if (node.text === 'discard') return [DISCARD];
  const parsed = parseDestination(node.text);
  if (parsed === null) return resolveName(node, book);
  if (!parsed.ok) {
    book.log.report(parsed.error.code, node, {
      message: `${parsed.error.message}: ${quote(node.text)}`,
      hint: parsed.error.hint,
    });
    return null;
  }
  const { warning, destination } = parsed.value;
  const destinations = [destination];
  if (warning === null) book.parsed.set(node.text, { destinations, uses: 1 });
  else book.log.report(warning.code, node, warning);
  return destinations;
}

function resolveName(node: TextNode, book: Book): readonly Destination[] | null {
  const name = node.text;
  const { destinations, completeness } = book.manifest;
  if (name.includes(',')) {
    const words = { message: `${quote(name)} contains a comma`, hint: 'write a list: [a, b]' };
    book.log.report('comma-in-destination', node, words);
    return null;
  }
  if (!destinations.has(name)) {
    if (completeness === 'complete') reportUnknown(node, destinations, book.log);
    return null;
  }
  const at = book.open.indexOf(name);
  if (at < 0) return resolveGroup(name, node, book);
  book.log.report('destination-cycle', node, {
    message: `the destination ${quote(name)} contains itself: ${[...book.open.slice(at), name].join(' -> ')}`,
    hint: 'remove one of them from the other',
  });
  return null;
}

/**
 * Resolves a group. Returns null also if groups are nested deeper than `MAX_LEVELS`; `at` is the node that names it.
 */
function resolveGroup(name: string, at: Node, book: Book): readonly Destination[] | null {
  const group = book.groups.get(name) ?? expandGroup(name, at, book);
  if (group === null) return null;
  book.height = Math.max(book.height, group.height);
  return group.destinations;
}

function expandGroup(name: string, at: Node, book: Book): Group | null {
  const entry = book.manifest.destinations.get(name);
  if (entry === undefined) return null;
  const before = book.height;
  book.height = 0;
  book.open.push(name);
  const isDeep = book.open.length > MAX_LEVELS;
  const resolved = isDeep ? null : resolveValue(entry.value, book);
  book.open.pop();
  const height = book.height + 1;
  const tooDeep = isDeep || (resolved !== null && height > MAX_LEVELS);
  if (tooDeep) reportTooDeep(name, at, book);
  const group = { destinations: tooDeep ? null : resolved, height, use: book.use };
  book.groups.set(name, group);
  book.height = before;
  return group;
}

function reportTooDeep(name: string, at: Node, book: Book): void {
  if (book.depth === 'reported') return;
  book.depth = 'reported';
  book.log.report('nesting-too-deep', at, {
    message: `groups are nested more than ${MAX_LEVELS} levels deep, at ${quote(name)}`,
    hint: 'use fewer nested groups',
  });
}

function resolveReferenceNode(node: Node, book: Book): readonly Destination[] | null {
  const reference = readReference(node, book.options);
  if (reference === null) return null;
  const value = book.options.resolve(reference);
  if (typeof value !== 'string' || value === '') return withoutValue(node, reference, value, book);
  const resolved = value.split(',').map((part) => parseReferenced(part.trim()));
  if (resolved.includes(null)) {
    book.log.report('invalid-destination', node, {
      message: `the value of ${reference.shown} is not a list of addresses and webhooks`,
      hint: 'set it to one address or webhook, or to several separated by commas',
    });
    return null;
  }
  const destinations = resolved.filter((destination) => destination !== null);
  for (const destination of destinations) {
    if (destination !== DISCARD) book.references.set(destination, reference);
  }
  return destinations;
}

/** Parses a part of a reference's value. The value is never shown, so problems do not contain it. */
function parseReferenced(part: string): Destination | null {
  if (part === 'discard') return DISCARD;
  const parsed = parseDestination(part);
  return parsed?.ok ? parsed.value.destination : null;
}

const UNSET_HINTS = {
  required: 'set it, and run again',
  optional: 'plan and apply need it to be set',
  spare: 'no entry needs it; if it is set, its name is shown instead of its value',
} as const;

/** Resolves a reference without a value. It stands for itself, which is enough to check everything else. */
function withoutValue(
  node: Node,
  reference: Reference,
  value: ReferenceValue,
  book: Book,
): readonly Destination[] | null {
  const need = book.use === 'spare' ? 'spare' : book.options.references;
  const { shown } = reference;
  const refusal = refusalOf(reference, value);
  const error = refusal === null ? 'destination-not-set' : 'reference-refused';
  book.log.report(need === 'required' ? error : 'reference-not-set', node, {
    message: refusal ?? `${shown} is not set`,
    hint: value === null || typeof value === 'string' ? UNSET_HINTS[need] : value.hint,
  });
  if (need === 'required') return null;
  book.references.set(shown, reference);
  return [shown as Destination];
}

function checkGroupName(key: TextNode, book: Book): void {
  const reserved = /^(?:discard|refused|null)$/i.test(key.text);
  if (!reserved && key.text !== '' && !/[@,\s]|:\/\//.test(key.text)) return;
  book.log.report('invalid-name', key, {
    message: `${quote(key.text)} cannot be the name of a destination`,
    hint: 'use a word without @, comma, space or ://, other than discard, refused and null',
  });
}

function reportUnknown(node: TextNode, known: Definitions, log: ProblemLog): void {
  if (/^null$/i.test(node.text)) {
    const hint = 'write `discard` to accept the mail and drop it';
    log.report('unknown-destination', node, { message: `${quote(node.text)} is not a destination`, hint });
    return;
  }
  log.report('unknown-destination', node, {
    message: `${quote(node.text)} is neither an address nor a name of \`destinations\``,
    hint: didYouMean(
      node.text,
      [...known.keys(), 'discard'],
      'write an address, a webhook, a name that `destinations` defines, or `discard`',
    ),
  });
}
