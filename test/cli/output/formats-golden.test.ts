import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import sarifSchema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' };
import planSchema from '../../../schemas/plan.v1.schema.json' with { type: 'json' };
import { startEmulator } from '../../../src/emulator/http/server.ts';
import type { PlanDocument } from '../../../src/core/plan/document/document.ts';
import { runsInPart } from '../../../src/core/plan/render/totals.ts';
import { readCases, type GoldenCase } from '../../golden/support/case.ts';
import { runCommand } from '../../golden/support/cli.ts';
import { virtualClock } from '../../support/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { everyNth } from '../../support/share.ts';

const GOLDEN = join(import.meta.dirname, '../../golden');
/** Cases whose plan depends only on manifest and account. */
const CASES = everyNth(
  10,
  readCases(GOLDEN).filter(
    ({ before, options }) => before === null && !options.edits && !options.planFaults && !options.key,
  ),
);
const junit = readFileSync(join(import.meta.dirname, 'formats/junit.xsd'), 'utf8');
const isPlan = new Ajv2020({ validateFormats: false }).compile(planSchema);
const { $schema: _, id: __, ...sarif } = sarifSchema;
const isSarif = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(sarif);

async function terminalOf({ directory, account, options }: GoldenCase) {
  const clock = virtualClock(Date.parse('2026-01-15T12:00:00Z'));
  const emulator = await startEmulator({
    apiKey: 'golden-key',
    plan: 'paid',
    state: account,
    switches: options.switches,
    rateLimit: options.rateLimit,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: randomUUID,
  });
  onTestFinished(() => emulator.close());
  const files = await temporaryDirectory();
  const env = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_API_KEY: 'golden-key',
    FWDSYNC_STATE_DIR: join(files, 'state'),
    ...options.env,
  };
  return { terminal: { cwd: directory, clock, env }, saved: join(files, 'plan.json') };
}

describe.each(CASES.map((golden) => [golden.name, golden] as const))('golden case %s', (_name, golden) => {
  test('its plan says the same in text, JSON, Markdown and as annotations', async () => {
    const { terminal, saved } = await terminalOf(golden);
    const made = await runCommand(
      ['plan', '-f', golden.manifest, '--out', saved, ...(golden.options.flags ?? [])],
      terminal,
    );
    const stored = readFileSync(join(golden.directory, 'plan.txt'), 'utf8');
    const asStored = made.stdout
      .replace(/(?<= at )127\.0\.0\.1:\d+ \(v4\)/, 'emulator')
      .replace(`fwdsync apply ${saved}`, 'fwdsync apply ../plan.json');
    expect(stored).toContain(asStored.trimEnd());
    if (made.stdout === '') return expect([5, 64]).toContain(made.exitCode); // no plan was made
    const show = async (format: string): Promise<string> =>
      (await runCommand(['show', saved, '--format', format], terminal)).stdout;
    expect(await show('text')).toBe(made.stdout);

    const plan = JSON.parse(await show('json')) as PlanDocument;
    expect(isPlan(plan), JSON.stringify(isPlan.errors)).toBe(true);
    const markdown = await show('markdown');
    const changes = markdown.replace(/^#### Whose mail changes\n\n(`{3,})diff\n[\s\S]*?^\1$/m, '');
    const blocks = [...changes.matchAll(/^`{3,}diff\n([\s\S]*?)^`{3,}$/gm)]
      .map(([, block = '']) => block)
      .join('');
    const marked = (pattern: RegExp): number => blocks.match(pattern)?.length ?? 0;
    const planned = (...actions: readonly string[]): number =>
      plan.changes.filter(({ action }) => actions.includes(action)).length;
    if (!markdown.includes('**Cut,')) {
      expect(marked(/^- /gm)).toBe(planned('delete'));
      expect(marked(/^\+ /gm)).toBe(planned('add'));
      expect(marked(/^! /gm)).toBe(planned('update', 'move'));
    }
    for (const { guard } of plan.guards) expect(markdown).toContain(`\`${guard}\``);
    const github = await show('github');
    expect(github.match(/^::error /gm)?.length ?? 0).toBe(
      plan.problems.length +
        plan.guards.filter(({ refuses, allowed }) => refuses && !allowed && !runsInPart(plan)).length,
    );
    for (const secret of golden.options.secrets ?? []) {
      for (const text of [made.stdout, JSON.stringify(plan), markdown, github])
        expect(text).not.toContain(secret);
    }
  });

  test('its problems match the schemas of SARIF and JUnit', async () => {
    const { terminal } = await terminalOf(golden);
    const validate = async (format: string): Promise<string> =>
      (await runCommand(['validate', '-f', golden.manifest, '--format', format], terminal)).stdout;
    expect(isSarif(JSON.parse(await validate('sarif'))), JSON.stringify(isSarif.errors)).toBe(true);
    expect((await validateXML({ xml: await validate('junit'), schema: junit })).errors).toEqual([]);
  });
});
