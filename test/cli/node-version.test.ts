import { expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { nodeFault, OLDEST_NODE } from '../../src/cli/node-version.ts';

test('the oldest Node is the one that the package names', () => {
  expect(pkg.engines.node).toBe(`>=${OLDEST_NODE}`);
});

test.each(['22.22.0', '22.23.1', '24.0.0', '26.1.0'])('Node %s is new enough', (version) => {
  expect(nodeFault(version)).toBeNull();
});

test.each(['20.20.2', '22.21.9', '18.0.0', '8.17.0'])('Node %s is too old, in one line', (version) => {
  expect(nodeFault(version)).toBe(`fwdsync needs Node 22.22 or later; this is Node ${version}`);
});
