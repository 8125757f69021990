import { expect, test } from 'vitest';
import { processContext } from '../../src/cli/context.ts';
import { renderCliPage } from '../../src/cli/declare/cli-page.ts';
import { execute } from '../../src/cli/execute.ts';
import { createProgram } from '../../src/cli/program.ts';

test('docs/cli.md is what the declarations say: `npm run docs:cli` writes it again', async () => {
  const page = renderCliPage(createProgram(processContext(), [], { finish: () => {}, execute }));
  await expect(page).toMatchFileSnapshot('../../docs/cli.md');
});
