import type { ErrorObject } from 'ajv';
import { SETTINGS } from '../../kinds/domain/fields.ts';
import { isSection, kindOf, KINDS } from '../../kinds/registry.ts';
import { quote } from '../../model/names.ts';
import { isNull, type Entry, type Node } from '../read/node.ts';
import type { ProblemCode } from '../problem-codes.ts';
import type { ProblemLog, Words } from '../problems.ts';
import { blankAbove, indentHint, lacksSpace, SPACE_HINT } from '../read/slips.ts';
import { didYouMean } from '../read/suggest.ts';

/** Turns a fault of the schema into a problem at its place in the text. No message repeats a value. */
export function reportSchemaFault(fault: ErrorObject, document: Node, log: ProblemLog): void {
  const path = fault.instancePath.split('/').slice(1).map(unescapePointer);
  const node = nodeAt(document, path);
  const name = path.at(-1) ?? 'the document';
  // The reader of the codes reports unknown ones, with the code that was probably meant.
  if (path.at(-2) === 'off' && ['enum', 'pattern', 'anyOf'].includes(fault.keyword)) return;
  const params = fault.params as Readonly<Record<string, unknown>>;
  if (fault.keyword === 'additionalProperties') {
    reportUnknownKey(fault, String(params['additionalProperty']), node, log);
    return;
  }
  const item = itemOf(document, path);
  const [code, words] = describe(fault, {
    params,
    name,
    what: item ?? quote(name),
    item: item !== null,
    node,
    path,
  });
  log.report(code, node, words);
}

type Described = readonly [ProblemCode, Words];

/** The place of a fault in the document. */
interface At {
  readonly params: Readonly<Record<string, unknown>>;
  readonly name: string;
  /** The value in words, such as `"aliases"` or `item 2 of "rules"`. */
  readonly what: string;
  /** True if the value is an item of a list. */
  readonly item: boolean;
  readonly node: Node;
  readonly path: readonly string[];
}

function describe(fault: ErrorObject, at: At): Described {
  const { params, what } = at;
  switch (fault.keyword) {
    case 'type':
      return describeType(params['type'], at);
    case 'required':
      return describeMissing(String(params['missingProperty']), at.path);
    case 'enum':
      return describeChoice((params['allowedValues'] as unknown[]).map(String), what);
    case 'const':
      return describeChoice([String(params['allowedValue'])], what);
    case 'minItems':
      return ['empty-list', words(`${what} is an empty list`, 'name at least one')];
    case 'minLength':
      return ['empty-value', words(`${what} is an empty text`, hintForNull(at))];
    case 'minProperties':
      return ['empty-value', words(`${what} is an empty map`, hintForNull(at))];
    case 'maxProperties':
      return ['one-key-only', words(`${what} has more than one key`, 'keep one of them')];
    default:
      return ['invalid-value', describeValue(fault, what)];
  }
}

function describeValue({ keyword, message, parentSchema }: ErrorObject, what: string): Words {
  if (keyword !== 'pattern')
    return words(`${what} ${message ?? 'is not valid'}`, 'see docs/manifest-reference.md');
  const examples = ((parentSchema?.['examples'] ?? []) as readonly unknown[]).map(plainText);
  return words(`${what} has a wrong format`, `write ${examples.join(' or ')}`);
}

/** Writes an example as YAML in one line. */
function plainText(example: unknown): string {
  if (typeof example === 'string') return example;
  return JSON.stringify(example).replaceAll('"', '').replace(/[{,:]/g, '$& ').replace('}', ' }');
}

/** Names an item of a list by its place, such as `item 2 of "rules"`; null means that the value has a key. */
function itemOf(document: Node, path: readonly string[]): string | null {
  const [list = '', at = ''] = path.slice(-2);
  return nodeAt(document, path.slice(0, -1)).kind === 'list'
    ? `item ${Number(at) + 1} of ${quote(list)}`
    : null;
}

function describeType(type: unknown, at: At): Described {
  const { name, what, item, node, path } = at;
  if (isNull(node)) return ['null-value', words(`${what} has no value`, hintForNull(at))];
  const secret = path.at(-1) === 'password' || path.join('/') === 'api/key';
  if (secret && node.kind === 'text') {
    const hint = `write a reference, such as \`${name}: { env: NAME }\`, and change the secret: it has been exposed`;
    return ['secret-in-manifest', words(`${quote(name)} must be a reference, never the secret itself`, hint)];
  }
  const expected = (Array.isArray(type) ? type : String(type).split(',')).map(typeWords);
  const message = `${what} must be ${expected.join(' or ')}, not ${foundWords(node)}`;
  return ['wrong-type', words(message, typeHint(node, expected, item ? 'entry' : 'key'))];
}

function typeHint(node: Node, expected: readonly string[], what: 'key' | 'entry'): string {
  const isSlip = node.kind === 'text' && node.plain && lacksSpace(node.text);
  return isSlip ? SPACE_HINT : `write ${expected.join(' or ')}, or leave the ${what} out`;
}

function describeMissing(key: string, path: readonly string[]): Described {
  if (path.length === 0 && key === 'version') {
    return ['missing-version', words('the document does not state its version', 'write `version: 1` first')];
  }
  return ['missing-key', words(`the key ${quote(key)} is missing here`, `add \`${key}:\` with a value`)];
}

function describeChoice(choices: readonly string[], what: string): Described {
  const list = choices.join(', ');
  return ['invalid-value', words(`${what} has an unknown value`, `write one of: ${list}`)];
}

/** Fields of a domain that a manifest cannot state, because nothing can set them (v4: Domain). */
const READ_ONLY: ReadonlySet<string> = new Set([
  'banned',
  'forwarding_ready',
  'notify_when_spam_blocked',
  'routing_engine',
  'rules_fallback_email',
  'send_ready',
  'strict_mxes',
]);

function reportUnknownKey(fault: ErrorObject, key: string, node: Node, log: ProblemLog): void {
  const known = Object.keys((fault.parentSchema?.['properties'] as object | undefined) ?? {});
  const entry: Entry | undefined = node.kind === 'map' ? node.entries.get(key) : undefined;
  const blank = blankAbove(node, key);
  const otherwise = blank === null ? `known here: ${known.join(', ')}` : indentHint(blank);
  log.report('unknown-key', entry?.key ?? node, {
    message: `the key ${quote(key)} is not known here`,
    hint: READ_ONLY.has(key)
      ? 'the API can only read it: set it in the dashboard, and leave the key out'
      : didYouMean(key, known, otherwise),
  });
}

/** Returns the hint for a blank value. */
function hintForNull({ name, item, path }: At): string {
  if (item) return 'write a value, or leave the entry out';
  const parent = path.at(-2) ?? '';
  if (name === 'forward' || parent === 'aliases') {
    return 'write a destination, or `discard` to accept the mail and drop it';
  }
  const empty = emptyOf(name);
  if (empty !== null) {
    return `indent its entries below it, write \`${name}: ${empty}\` for none, or leave the key out`;
  }
  if (emptyOf(parent) === '{}' && parent !== 'destinations')
    return 'indent its entries, or write {} if it has only a name';
  if (SETTINGS[name]?.codec.hasNone === true) {
    return `write \`${name}: none\` to ask for no value, or leave the key out`;
  }
  return 'write a value, or leave the key out: what is not mentioned is not touched';
}

/** Returns the empty form of a key that holds entries; null for other keys. */
function emptyOf(name: string): '{}' | '[]' | null {
  if (isSection(name)) return KINDS[kindOf(name)].entries === 'map' ? '{}' : '[]';
  if (['domains', 'destinations', 'templates'].includes(name)) return '{}';
  return ['expect', 'use', 'allow', 'off'].includes(name) ? '[]' : null;
}

function typeWords(type: unknown): string {
  switch (type) {
    case 'object':
      return 'a map';
    case 'array':
      return 'a list';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    default:
      return 'text';
  }
}

function foundWords(node: Node): string {
  if (node.kind === 'map') return 'a map';
  return node.kind === 'list' ? 'a list' : 'text';
}

function nodeAt(document: Node, path: readonly string[]): Node {
  let node = document;
  for (const segment of path) {
    const next = node.kind === 'list' ? node.items[Number(segment)] : undefined;
    const entry = node.kind === 'map' ? node.entries.get(segment)?.value : undefined;
    node = next ?? entry ?? node;
  }
  return node;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function words(message: string, hint: string): Words {
  return { message, hint };
}
