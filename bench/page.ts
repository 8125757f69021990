import { availableParallelism } from 'node:os';
import { figuresTable, markdownOf, type Section } from './section.ts';

/** docs/performance.md: all figures with their targets, then what each subject found. */
export function pageOf(sections: readonly Section[]): string {
  const figures = sections.flatMap(({ figures }) => figures);
  const parts = [
    '# Performance',
    'Written by `npm run bench`; change the text in `bench/`. Each subject is one run, in which whatever is compared takes turns; ' +
      '`node bench/bench.ts SUBJECT` measures one again. They are benchmarks, not tests: run them on your machine and compare the ratios. What concerns requests and time under limits is in virtual time, ' +
      `the same everywhere, and proven by \`npm run prove\`. These figures are from Node ${process.versions.node} on ` +
      `${availableParallelism()} cores of a virtual machine.`,
    figuresTable(figures),
    // Its figures are in the table above.
    ...sections.map((section) => markdownOf({ ...section, figures: [] }).trimEnd()),
  ];
  return `${parts.join('\n\n')}\n`;
}
