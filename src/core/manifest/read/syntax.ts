import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';
import { composePlainShape, type ShapeLimits } from './plain-shape.ts';
import { isNull, type Node } from './node.ts';
import type { ProblemLog } from '../problems.ts';
import { reportSyntaxFaults } from './syntax-faults.ts';
import type { SourceText } from './text.ts';
import { walkTokens } from './tokens.ts';
import { createTree, MAX_NESTING } from './tree.ts';

/** The non-empty documents of one text; `broken` is true if any could not be read. */
export interface Documents {
  readonly nodes: readonly Node[];
  readonly broken: boolean;
}

/**
 * The most words, signs, spaces and line breaks of one file: about 200,000 aliases. With many more, parsing takes over
 * 1 GiB.
 */
const MAX_LEXEMES = 2_000_000;
/** The lexemes that a document counts as. */
const DOCUMENT_WEIGHT = 50;

/** The limits of the plain shape. */
export const SHAPE_LIMITS: ShapeLimits = {
  lexemes: MAX_LEXEMES,
  documentWeight: DOCUMENT_WEIGHT,
  nesting: MAX_NESTING,
};

/**
 * Parses YAML 1.2 to trees. All scalars stay text (the failsafe schema). The plain shape is composed here in a tenth
 * of the library's time and half of its memory; a test proves that both give the same result.
 */
export function parseDocuments(source: SourceText, log: ProblemLog): Documents {
  const nodes = composePlainShape(source, SHAPE_LIMITS);
  return nodes === null ? parseAnyShape(source, log) : { nodes, broken: false };
}

/** Parses any text with the library. */
export function parseAnyShape(source: SourceText, log: ProblemLog): Documents {
  const reading: Reading = { source, log, leftOut: false };
  const nodes: Node[] = [];
  let broken = false;
  // The library's own check of duplicate keys takes quadratic time; ours is in tree.ts.
  const composer = new Composer({ uniqueKeys: false, schema: 'failsafe', prettyErrors: false });
  for (const document of composer.compose(shallowTokens(reading), false, source.text.length)) {
    const node = readDocument(document, source, log);
    if (node === 'broken') broken = true;
    else if (node !== 'empty') nodes.push(node);
  }
  broken ||= reading.leftOut;
  if (nodes.length === 0 && !broken) reportEmpty(source, log);
  return { nodes, broken };
}

interface Reading {
  readonly source: SourceText;
  readonly log: ProblemLog;
  /** True if a part of the text was not parsed, which is reported. */
  leftOut: boolean;
}

/**
 * Yields the tokens of a text, without documents that are nested too deeply: composing recurses, reading tokens does
 * not. Yields them one by one, so that a large document's tokens are freed after its tree is made.
 */
function* shallowTokens(reading: Reading): Generator<CST.Token> {
  const { source, log } = reading;
  for (const token of boundedTokens(reading)) {
    if (token.type === 'directive') reportDirective(source, token, log);
    const deep = token.type === 'document' ? findTooDeep(token) : null;
    if (deep === null) yield token;
    else {
      reading.leftOut = true;
      reportTooDeep(source, deep, log);
    }
  }
}

function* boundedTokens(reading: Reading): Generator<CST.Token> {
  const { source, log } = reading;
  const parser = new Parser();
  let weight = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    weight += lexeme === '---' || lexeme === '...' ? DOCUMENT_WEIGHT : 1;
    if (weight > MAX_LEXEMES) {
      reading.leftOut = true;
      reportTooMuch(source, log);
      return;
    }
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function readDocument(document: Document, source: SourceText, log: ProblemLog): Node | 'broken' | 'empty' {
  if (reportSyntaxFaults(document, source, log) === 'broken') return 'broken';
  if (document.contents === null) return 'empty';
  const tree = createTree(document.contents, source, log);
  if (tree === null) return 'broken';
  return isNull(tree) ? 'empty' : tree;
}

function findTooDeep(document: CST.Document): number | null {
  for (const { token, level } of walkTokens(document))
    if (level > MAX_NESTING && 'items' in token) return token.offset;
  return null;
}

function reportTooMuch(within: SourceText, log: ProblemLog): void {
  const message = `the file has more than ${MAX_LEXEMES / 1e6} million tokens`;
  const hint = 'split it: -f takes several files and directories';
  log.report('file-too-large', { within, offset: 0 }, { message, hint });
}

function reportTooDeep(within: SourceText, offset: number, log: ProblemLog): void {
  log.report(
    'nesting-too-deep',
    { within, offset },
    {
      message: `maps and lists are nested more than ${MAX_NESTING} levels deep`,
      hint: 'no manifest needs more than seven; check brackets and indentation',
    },
  );
}

function reportDirective(within: SourceText, token: CST.Directive, log: ProblemLog): void {
  log.report(
    'unsupported-yaml',
    { within, offset: token.offset },
    { message: 'YAML directives are not allowed', hint: 'delete the line that begins with %' },
  );
}

function reportEmpty(within: SourceText, log: ProblemLog): void {
  log.report(
    'no-desired-state',
    { within, offset: 0 },
    {
      message: 'the file has no desired state',
      hint: 'write `version: 1` and `domains:`; to manage nothing, write `domains: {}`',
    },
  );
}
