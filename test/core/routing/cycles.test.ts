import { expect, test } from 'vitest';
import { nodesOnCycles, type Graph } from '../../../src/core/routing/cycles.ts';

/** Edges as `a: b c`: a node and the nodes that it leads to. */
function graphOf(...lines: readonly string[]): Graph<string> {
  return new Map(
    lines.map((line) => {
      const [node = '', next = ''] = line.split(':');
      return [node, new Set(next.split(' ').filter((name) => name !== ''))];
    }),
  );
}

test.each([
  ['nothing', [], ''],
  ['a chain', ['a: b', 'b: c'], ''],
  ['a node that leads to itself', ['a: a', 'b: a'], 'a'],
  ['a ring, what leads to it and what it leads to', ['x: a', 'a: b', 'b: c', 'c: a y', 'y: z'], 'a b c'],
  ['two rings with a way between them', ['a: b', 'b: a m', 'm: c', 'c: d', 'd: c'], 'a b c d'],
  ['a diamond', ['a: b c', 'b: d', 'c: d'], ''],
  ['rings that share a node', ['a: b c', 'b: a', 'c: a'], 'a b c'],
])('%s', (_, lines, expected) => {
  expect([...nodesOnCycles(graphOf(...lines))].sort().join(' ')).toBe(expected);
});
