import { Composer, Parser, type CST, type Document } from 'yaml';
import { isNull, type Node } from './node.ts';
import type { ProblemLog } from './problems.ts';
import { reportSyntaxFaults } from './syntax-faults.ts';
import type { SourceText } from './text.ts';
import { createTree, MAX_NESTING } from './tree.ts';

/** The documents of one text that are not empty, and whether any could not be read. */
export interface Documents {
  readonly nodes: readonly Node[];
  readonly broken: boolean;
}

/**
 * Parses YAML 1.2 to trees. All scalars stay text (the failsafe schema). The nesting is checked before the tree is
 * composed, and without recursion, because composing recurses.
 */
export function parseDocuments(source: SourceText, log: ProblemLog): Documents {
  const tokens: CST.Token[] = [];
  let broken = false;
  for (const token of new Parser().parse(source.text)) {
    if (token.type === 'directive') reportDirective(source, token, log);
    const deep = token.type === 'document' ? findTooDeep(token) : null;
    if (deep === null) tokens.push(token);
    else {
      broken = true;
      reportTooDeep(source, deep, log);
    }
  }
  const nodes: Node[] = [];
  for (const document of composeAll(tokens, source)) {
    const node = readDocument(document, source, log);
    if (node === 'broken') broken = true;
    else if (node !== 'empty') nodes.push(node);
  }
  if (nodes.length === 0 && !broken) reportEmpty(source, log);
  return { nodes, broken };
}

function composeAll(tokens: readonly CST.Token[], source: SourceText): Iterable<Document> {
  // Its own check of duplicate keys takes quadratic time; ours is in tree.ts.
  const composer = new Composer({ uniqueKeys: false, schema: 'failsafe', prettyErrors: false });
  return composer.compose(tokens, false, source.text.length) as Iterable<Document>;
}

function readDocument(document: Document, source: SourceText, log: ProblemLog): Node | 'broken' | 'empty' {
  if (reportSyntaxFaults(document, source, log) === 'broken') return 'broken';
  if (document.contents === null) return 'empty';
  const tree = createTree(document.contents, source, log);
  if (tree === null) return 'broken';
  return isNull(tree) ? 'empty' : tree;
}

function findTooDeep(document: CST.Document): number | null {
  const open: { token: CST.Token; level: number }[] = [];
  if (document.value !== undefined) open.push({ token: document.value, level: 1 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, level } = next;
    if (!('items' in token)) continue;
    if (level > MAX_NESTING) return token.offset;
    for (const { key, value } of token.items) {
      if (key !== undefined && key !== null) open.push({ token: key, level: level + 1 });
      if (value !== undefined) open.push({ token: value, level: level + 1 });
    }
  }
  return null;
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
