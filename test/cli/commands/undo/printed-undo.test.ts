import { describe, expect, test } from 'vitest';
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
  /** Of the printed command, beside the snapshot. */
  readonly printed: string;
}

const CASES: readonly Case[] = [
  {
    what: '30 additions',
    account: [{ domain: 'acme.example', aliases: [SALES] }],
    manifest: manifest(`  acme.example:\n    aliases:\n${names(30)}`),
    printed: ' --allow-deletes 30',
  },
  {
    what: 'the first alias of a domain, which undoing empties',
    account: [{ domain: 'acme.example', aliases: [] }],
    manifest: manifest('  acme.example:\n    aliases: { sales: bob@corp.example }\n'),
    printed: ' --allow-empty acme.example/aliases',
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
    printed: ' --allow-reroutes 20',
  },
];

interface Printed {
  readonly args: readonly string[];
  readonly flags: string;
}

/** Returns the words of a command that a report prints, as a shell would split them, and its flags. */
function printedUndo(stdout: string, line: 'undo' | 'snapshot'): Printed {
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

describe('the command that a report prints undoes the run', () => {
  /** Of an undo no number has to be allowed. */
  const ofUndo = (flags: string): string => flags.replace(/ --allow-(deletes|reroutes|empty) \S+/g, '');
  const cases = CASES.flatMap((example) => [
    { ...example, line: 'snapshot' as const },
    { ...example, line: 'undo' as const, printed: ofUndo(example.printed) },
  ]);

  test.each(cases)('$line: $what', async (example) => {
    const { run, emulator } = await opened(example);
    const before = restorable(emulator.store.dump(), []);
    const applied = await run(['apply', '--yes', ...(example.flags ?? [])]);
    expect(applied.code, applied.stdout + applied.stderr).toBe(0);
    expect(restorable(emulator.store.dump(), [])).not.toEqual(before);
    const { args, flags } = printedUndo(applied.stdout, example.line);
    expect(flags).toBe(example.printed);
    const undone = await run([...args, '--yes']);
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(restorable(emulator.store.dump(), [])).toEqual(before);
  });
});
