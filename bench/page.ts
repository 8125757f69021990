import { availableParallelism } from 'node:os';
import { figuresTable, markdownOf, type Section } from './section.ts';

/** docs/performance.md: all figures with their targets, then what each subject found. */
export function pageOf(sections: readonly Section[]): string {
  const figures = sections.flatMap(({ figures }) => figures);
  const parts = [
    '# Performance',
    '`npm run bench` writes this page; change the text in `bench/`. Each subject is one run, and the programs ' +
      'that it compares take turns. `node bench/bench.ts SUBJECT` measures one subject again. These are ' +
      'benchmarks, not tests: run them on your machine and compare the ratios. Requests and time under limits ' +
      'are measured in virtual time. They are the same everywhere, and `npm run prove` proves them.' +
      ` These figures are from Node ${process.versions.node} on ` +
      `${availableParallelism()} cores of a virtual machine.`,
    figuresTable(figures),
    // The table above has the figures of all sections.
    ...sections.map((section) => markdownOf({ ...section, figures: [] }).trimEnd()),
  ];
  return `${parts.join('\n\n')}\n`;
}
