/** A place in the docs that explains a code: a row of a table, or a section. */
export interface Explanation {
  readonly code: string;
  /** The head of the table's first column, such as `guard`; null for a section. */
  readonly kind: string | null;
  /** The page's path in the package, such as `docs/lint.md`. */
  readonly page: string;
  readonly heading: string;
  /** The other cells of the row, by the heads of their columns. */
  readonly fields: readonly { readonly name: string; readonly text: string }[];
  /** Markdown: the section, or the list items below the table that begin with the code. */
  readonly text: string;
}

export interface DocsPage {
  readonly path: string;
  readonly text: string;
}

/** Heads of first columns that hold codes, in the order in which explanations of the same code are listed. */
const KINDS = ['code', 'warning', 'guard', 'gate', 'exit code', 'verdict', 'reason', 'event'];

/** Finds every explanation in the pages. Rows come before sections, because they are shorter. */
export function findExplanations(pages: readonly DocsPage[]): readonly Explanation[] {
  const sections = pages.flatMap((page) => sectionsOf(page));
  const rows = sections.flatMap(explainRows);
  const inOrder = KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind));
  return [...inOrder, ...sections.flatMap(explainHeading)];
}

interface Section {
  readonly page: string;
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Splits a page at its headings. Lines of code blocks are no headings. */
function sectionsOf({ path, text }: DocsPage): readonly Section[] {
  const sections: { page: string; heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const [, heading] = isCode ? [] : (/^#+ (.*)$/.exec(line) ?? []);
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ page: path, heading, lines: [] });
  }
  return sections;
}

function explainHeading({ page, heading, lines }: Section): readonly Explanation[] {
  const [, code] = /^`([^`]+)`$/.exec(heading) ?? [];
  if (code === undefined) return [];
  return [{ code, kind: null, page, heading, fields: [], text: lines.join('\n').trim() }];
}

function explainRows({ page, heading, lines }: Section): readonly Explanation[] {
  return lines.flatMap((line, index) => {
    const [kind = '', ...names] = cellsOf(line);
    if (!KINDS.includes(kind) || !/^\|[ :|-]+$/.test(lines[index + 1] ?? '')) return [];
    const end = lines.findIndex((row, at) => at > index && !row.startsWith('|'));
    return lines.slice(index + 2, end === -1 ? undefined : end).flatMap((row) => {
      const [first = '', ...cells] = cellsOf(row);
      const fields = cells.flatMap((text, at) => (text === '' ? [] : [{ name: names[at] ?? '', text }]));
      return codesIn(first).map((code) => {
        return { code, kind, page, heading, fields, text: itemsAbout(code, lines) };
      });
    });
  });
}

function cellsOf(row: string): readonly string[] {
  if (!row.startsWith('|')) return [];
  return row
    .slice(1, row.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/** Returns the codes of a first cell: code spans, or numbers, and nothing else but signs between them. */
function codesIn(cell: string): readonly string[] {
  const codes = cell.match(/`[^`]+`|\b\d+\b/g) ?? [];
  return /^(?:`[^`]+`|\d+|[,/ ])+$/.test(cell) ? codes.map((code) => code.replaceAll('`', '')) : [];
}

/** Returns the list items that begin with a code, with the lines that continue them. */
function itemsAbout(code: string, lines: readonly string[]): string {
  const starts = [`- \`${code}\``, `- **\`${code}\`**`];
  return lines
    .flatMap((line, index) => {
      if (!starts.some((start) => line.startsWith(start))) return [];
      const end = lines.findIndex((next, at) => at > index && !next.startsWith('  '));
      return lines.slice(index, end === -1 ? undefined : end);
    })
    .join('\n');
}
