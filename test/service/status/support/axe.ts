import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Returns the findings of axe-core, with all details open. */
export async function axe(page: Page): Promise<readonly string[]> {
  await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
  await page.evaluate(axeCore.source);
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
