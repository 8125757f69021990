import { expect, test } from 'vitest';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { restorable } from '../../../golden/support/undo.ts';
import { openWorkspace, OWNER, type Workspace } from '../../../support/workspace.ts';

const SALES = { alias: 'sales', forward: 'bob@corp.example' };
const names = (count: number): string =>
  Array.from({ length: count }, (_, index) => `      n${index}: ana@corp.example\n`).join('');
const manifest = (domains: string): string => `version: 1\napi: { account: ${OWNER} }\ndomains:\n${domains}`;

interface Case {
  readonly what: string;
  readonly account: readonly SeedDomain[];
  readonly manifest: string;
  readonly flags?: readonly string[];
  /** Flags of the printed command. */
  readonly printed: string;
}

const CASES: readonly Case[] = [
  {
    what: '30 additions',
    account: [{ domain: 'acme.example', aliases: [SALES] }],
    manifest: manifest(`  acme.example:\n    aliases:\n${names(30)}`),
    printed: '',
  },
  {
    what: 'the first alias of a domain, which undoing empties',
    account: [{ domain: 'acme.example', aliases: [] }],
    manifest: manifest('  acme.example:\n    aliases: { sales: bob@corp.example }\n'),
    printed: '',
  },
  {
    what: 'a new catch-all',
    account: [{ domain: 'acme.example', aliases: [SALES] }],
    manifest: manifest('  acme.example:\n    aliases: { "*": bob@corp.example }\n'),
    printed: " --allow-unrouted '*@acme.example'",
  },
  {
    what: 'a section that was emptied',
    account: [{ domain: 'acme.example', aliases: [SALES] }],
    manifest: manifest('  acme.example:\n    prune: { aliases: true }\n    aliases: {}\n'),
    flags: ['--allow-empty', 'acme.example/aliases'],
    printed: '',
  },
  {
    what: 'a domain that was added, with a section that nobody manages',
    account: [{ domain: 'acme.example', aliases: [SALES] }],
    manifest: manifest('  new.example:\n    aliases: { sales: bob@corp.example }\n'),
    printed: ' --allow-domain-delete new.example',
  },
  {
    what: 'ten reroutes',
    account: [
      {
        domain: 'acme.example',
        aliases: Array.from({ length: 20 }, (_, index) => ({
          alias: `n${index}`,
          forward: 'bob@corp.example',
        })),
      },
    ],
    manifest: manifest(`  acme.example:\n    aliases:\n${names(20)}`),
    flags: ['--allow-reroutes', '20'],
    printed: '',
  },
];

interface Printed {
  readonly args: readonly string[];
  readonly flags: string;
}

/** Returns the words of a command that a report prints, as a shell would split them, and its flags. */
function printedCommand(stdout: string, line: 'undo' | 'snapshot'): Printed {
  const [, command = 'missing', flags = ''] =
    new RegExp(`^${line}: fwdsync (undo \\w+|apply -f \\S+)(.*)$`, 'm').exec(stdout) ?? [];
  const words = `${command}${flags}`.split(' ').map((word) => word.replaceAll("'", ''));
  return { args: words, flags };
}

async function opened({ account, manifest: text }: Case): Promise<Workspace> {
  const work = await openWorkspace(account);
  await work.write(text);
  return work;
}

test.each(CASES)('the undo that a report prints undoes $what', async (example) => {
  const { run, emulator } = await opened(example);
  const before = restorable(emulator.store.dump(), []);
  const applied = await run(['apply', '--yes', ...(example.flags ?? [])]);
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  expect(restorable(emulator.store.dump(), [])).not.toEqual(before);
  const { args, flags } = printedCommand(applied.stdout, 'undo');
  expect(flags).toBe(example.printed);
  const undone = await run([...args, '--yes']);
  expect(undone.code, undone.stdout + undone.stderr).toBe(0);
  expect(restorable(emulator.store.dump(), [])).toEqual(before);
});

test('the snapshot is applied like any other manifest: guards stop it, and say how it is allowed', async () => {
  const aliases = [SALES, { alias: 'keep', forward: 'bob@corp.example' }];
  const { run, emulator, write } = await openWorkspace([{ domain: 'acme.example', aliases }]);
  await write(manifest(`  acme.example:\n    aliases:\n${names(30)}`));
  const before = restorable(emulator.store.dump(), []);
  const applied = await run(['apply', '--yes']);
  const { args, flags } = printedCommand(applied.stdout, 'snapshot');
  expect([applied.code, flags]).toEqual([0, '']);
  const refused = await run([...args, '--yes']);
  expect(refused.code).toBe(4);
  expect(refused.stdout).toContain('--allow-deletes 30');
  const undone = await run([...args, '--yes', '--allow-deletes', '30']);
  expect(undone.code, undone.stdout + undone.stderr).toBe(0);
  expect(restorable(emulator.store.dump(), [])).toEqual(before);
});
