import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { createProgram } from '../../src/cli/program.ts';
import { processContext } from '../../src/cli/context.ts';
import { execute } from '../../src/cli/execute.ts';
import { commandScene } from './support/scene.ts';

const ROOT = join(import.meta.dirname, '../..');
const CONTEXT = processContext();
const COMMANDS = declaredFor([]).map((command) => command.name());
const DOCS = 'Documentation: https://github.com/fwdsync/fwdsync/tree/main/docs';

/** Options that have an effect only if they are given. */
const WITHOUT_DEFAULT = new Set(
  `--domain --account --accounts --against --base-path --page-url --notify-every --out --out-dir --update --rotate
  --allow-deletes --allow-reroutes --allow-domain-delete --allow-empty --allow-unrouted
  --drift-url --replay --rollback --remove --search --id --alias --sender --recipient --forward --status --transport --after --before --from --state --faults --smtp --submission`.split(
    /\s+/,
  ),
);

function declaredFor(line: readonly string[]) {
  return createProgram(CONTEXT, line, { finish: () => {}, execute }).commands;
}

test.each(COMMANDS.filter((name) => name !== 'completion'))('a line of %s declares it alone', (command) => {
  expect(declaredFor([command, '--format', 'json']).map((declared) => declared.name())).toEqual([command]);
});

test.each([['completion'], ['help'], ['valdate'], ['--version'], ['constructor']])(
  '%s declares all',
  (first) => {
    expect(declaredFor([first])).toHaveLength(COMMANDS.length);
  },
);

async function helpOf(...args: readonly string[]): Promise<string> {
  const { code, stdout } = await (await commandScene()).run([...args, '--help']);
  expect(code).toBe(0);
  return stdout;
}

test('--version --verbose says what is known of the program, and --version its version alone', async () => {
  const scene = await commandScene();
  const { stdout } = await scene.run(['--version', '--verbose']);
  expect(stdout).toBe(
    `version  ${pkg.version}\ncommit   unknown\nbuilt    unknown\nnode     ${process.versions.node}\n`,
  );
  expect((await scene.run(['--verbose', '-V'])).stdout).toBe(stdout);
  expect((await scene.run(['--version'])).stdout).toBe(`${pkg.version}\n`);
});

describe('the help', () => {
  test.each(COMMANDS)('for %s has an example and names its page', async (command) => {
    const help = await helpOf(command);
    expect(help).toMatch(new RegExp(`Example:\n  \\$ .*fwdsync ${command}\\b`));
    expect(help).toContain('Environment and exit codes: fwdsync --help');
    expect(help).toContain(DOCS);
  });

  test.each(COMMANDS)('for %s states the default of every option with one', async (command) => {
    const help = (await helpOf(command)).replaceAll(/\n {4,}/g, ' ');
    const lines = help.split('\n').filter((line) => /^ {2}(?:-\w, )?--[a-z-]+ </.test(line));
    const unsaid = lines.filter((line) => !line.includes('default: '));
    expect(unsaid.filter((line) => !WITHOUT_DEFAULT.has(/--[a-z-]+/.exec(line)?.[0] ?? ''))).toEqual([]);
  });

  test.each(COMMANDS)('for %s states defaults in one form, and -f only if it exists', async (command) => {
    const help = (await helpOf(command)).replaceAll(/\n {4,}/g, ' ');
    expect(help).not.toMatch(/\(default|default: "/);
    expect(help.includes('instead of -f')).toBe(
      help.includes('-f, --file') && help.includes('--accounts <dir>'),
    );
  });

  test('lists commands in groups', async () => {
    const help = await helpOf();
    const headings = help.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
    expect(headings).toEqual([
      'Options:',
      'Change an account:',
      'Inspect an account:',
      'Operate:',
      'Try it out:',
      'Other:',
      'Environment:',
      'Exit codes:',
      'Example:',
    ]);
  });

  test('for demo names its only format', async () => {
    expect((await helpOf('demo')).replaceAll(/\s+/g, ' ')).toContain('[FWDSYNC_FORMAT] (choices: "text")');
  });

  test('for the program names exit codes and the documentation', async () => {
    const help = await helpOf();
    for (const code of [0, 1, 2, 3, 4, 5, 6, 64, 130, 143]) expect(help).toMatch(new RegExp(`\\b${code}\\b`));
    expect(help).toContain(DOCS);
  });

  test('names every environment variable that the command line reads', async () => {
    const all = (await Promise.all([helpOf(), ...COMMANDS.map((command) => helpOf(command))])).join('\n');
    const directory = join(ROOT, 'src/cli');
    const sources = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('\n');
    const read = new Set([...sources.matchAll(/FWDSYNC_[A-Z_]*[A-Z]/g)].map(([name]) => name));
    for (const name of read) expect(all).toContain(name);
  });
});
