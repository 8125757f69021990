import { wrapWords } from '../src/core/plan/render/wrap.ts';

/** A ratio or a number, and its target. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly atMost: number;
  readonly atLeast?: number;
}

/** A section of docs/performance.md: the results of one subject. */
export interface Section {
  readonly title: string;
  /** Paragraphs before the table. */
  readonly text: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly figures: readonly Figure[];
  /** SVG, by the name of its file beside the page. */
  readonly pictures?: Readonly<Record<string, string>>;
}

export function markdownOf({ title, text, head, rows, figures }: Section): string {
  const parts = [`## ${title}`, ...text.map(wrapped), tableOf(head, rows)];
  return `${[...parts, ...(figures.length === 0 ? [] : [figuresTable(figures)])].join('\n\n')}\n`;
}

const LINE_LENGTH = 140;

export function wrapped(paragraph: string): string {
  return wrapWords(paragraph, { used: 0, indent: 0, columns: LINE_LENGTH }).join('\n');
}

export function figuresTable(figures: readonly Figure[]): string {
  return tableOf(
    ['figure', 'measured', 'target', 'reached'],
    figures.map((figure) => {
      return [figure.name, shown(figure.value), targetOf(figure), isReached(figure) ? 'yes' : '**no**'];
    }),
  );
}

function shown(value: number): string {
  if (value === 0 || value >= 100) return value.toFixed(0);
  return value.toFixed(value < 0.1 ? 3 : 2);
}

function targetOf({ atMost, atLeast }: Figure): string {
  return atLeast === undefined ? `≤ ${atMost}` : `${atLeast} to ${atMost}`;
}

export function isReached({ value, atMost, atLeast = -Infinity }: Figure): boolean {
  return value <= atMost && value >= atLeast;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
