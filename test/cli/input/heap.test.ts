import { execFileSync } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectSyntax } from '../../../src/cli/input/heap.ts';

test('of a manifest with many entries, what is not used any more is collected', async () => {
  const syntax = new WeakRef({});
  await setImmediate();
  collectSyntax(50_000);
  expect(syntax.deref()).toBeUndefined();
});

test('what V8 compiled before is for the flags after it, or the next start would compile it again', () => {
  const url = new URL('../../../src/cli/input/heap.ts', import.meta.url).href;
  const script = `
    import { Script } from 'node:vm';
    import { collectSyntax } from ${JSON.stringify(url)};
    const script = new Script('1');
    const before = script.createCachedData();
    collectSyntax(50_000);
    console.log(script.createCachedData().equals(before));`;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(told).toBe('true\n');
});
