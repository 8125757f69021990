import { relative } from 'node:path';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import { styleFor } from '../../output/paint.ts';
import { findExample } from './demo-manifest.ts';

export type Narrator = ReturnType<typeof createNarrator>;

const MEANING: Readonly<Partial<Record<ExitCode, string>>> = {
  0: 'done',
  3: 'applied in part, the report says which',
};

/** Explains the commands between them, on standard output, in lines of at most 80 columns. */
export function createNarrator(context: Context) {
  const style = styleFor(context.stdout, context.color);
  const say = (...lines: readonly string[]): void => {
    context.stdout.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    title: (text: string) => say(style.strong('fwdsync demo'), text, ''),
    scene: (title: string, lines: readonly string[]) => say(style.strong(title), ...lines, ''),
    /** The command line as one would type it. */
    command: (args: readonly string[]) => say(style.dim(`$ fwdsync ${args.join(' ')}`)),
    difference: ({ before, after }: { readonly before: string; readonly after: string }) =>
      say(style.remove(`- ${before}`), style.add(`+ ${after}`), ''),
    /** Says with which code the command ended; false when it is not the expected one. */
    ended(code: ExitCode, expected: ExitCode): boolean {
      const meaning = MEANING[code];
      say(style.dim(`[exit ${code}${meaning === undefined ? '' : `: ${meaning}`}]`), '');
      if (code === expected) return true;
      say(style.error(`The demo expected exit ${expected}: this is a bug.`));
      return false;
    },
    farewell: (about: 'manifest' | 'mail') =>
      say(style.strong('To try next'), ...nextCommands(context.cwd)[about]),
  };
}

function nextCommands(cwd: string): Readonly<Record<'manifest' | 'mail', readonly string[]>> {
  const fwdsync = import.meta.filename.endsWith('.ts') ? 'npm run -s fwdsync --' : 'fwdsync';
  const example = shortest(cwd, findExample());
  return {
    manifest: [
      `  ${fwdsync} validate -f ${example}`,
      `  ${fwdsync} emulator --port 8025      # an account to play with`,
      `  ${fwdsync} account                   # does the key work?`,
      `  ${fwdsync} export --out fwdsync.yaml # your account as a manifest`,
      `  ${fwdsync} plan                      # what a change to it would do`,
    ],
    mail: [
      `  # send each \`expect\` of a manifest by SMTP`,
      `  ${fwdsync} test -f ${example}`,
      `  # a mail server for your own programs, and its mailboxes at`,
      `  # http://127.0.0.1:8025/_emulator/mail`,
      `  ${fwdsync} emulator --from ${example} --smtp 2525 --control`,
    ],
  };
}

function shortest(cwd: string, path: string): string {
  const fromHere = relative(cwd, path);
  return fromHere.length < path.length ? fromHere : path;
}
