import { availableParallelism } from 'node:os';
import { figuresTable, markdownOf, wrapped, type Section } from './section.ts';

/** Returns docs/performance.md: all figures with their targets, then the section of each subject. */
export function pageOf(sections: readonly Section[]): string {
  const figures = sections.flatMap(({ figures }) => figures);
  const parts = [
    '# Performance',
    wrapped(
      `These figures are from Node ${process.versions.node} on ${availableParallelism()} cores of a virtual ` +
        'machine. Measure on your own machine and compare the ratios. ' +
        'Requests and time under limits are measured in virtual time. They are the same everywhere, and `npm run prove` proves them.',
    ),
    figuresTable(figures),
    wrapped(
      '`npm run bench` writes this page, and `node bench/bench.ts SUBJECT` measures one subject again. Each ' +
        'subject is one run, and the programs that it compares take turns. Change the text in `bench/`.',
    ),
    // The table above has the figures of all sections.
    ...sections.map((section) => markdownOf({ ...section, figures: [] }).trimEnd()),
  ];
  return `${parts.join('\n\n')}\n`;
}
