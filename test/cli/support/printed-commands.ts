import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { PROGRAM_PATH } from '../../support/program.ts';
import { runInShell } from '../../support/shell.ts';

const NAMES =
  'validate|plan|apply|run|show|export|route|verify|logs|history|blame|undo|delivery|test|publish|status|state|account|move|emulator|demo|init|explain|completion';
const COMMAND = String.raw`(?:[A-Z_]+=(?:"[^"]*"|'[^']*'|\S+) )*fwdsync (?:${NAMES}) ?[^\n]*`;
const PLACES: readonly RegExp[] = [
  new RegExp(`\`(${COMMAND.replace('[^\\n]', '[^`\\n]')})\``, 'g'),
  new RegExp(`<code>(${COMMAND.replace('[^\\n]', '[^<\\n]')})</code>`, 'g'),
  // A separate text in JSON.
  new RegExp(`^(${COMMAND})$`, 'g'),
  // At the end of a line.
  new RegExp(`(?<=: )(?!fwdsync \\w+ takes no argument)(${COMMAND})$`, 'gm'),
];
/** Titles, and sentences about the program. */
const NO_COMMANDS = /^#+ fwdsync plan|title=fwdsync \w+|fwdsync [a-z]+ takes no argument "[^"]*" here/gm;

/** Returns the commands in the output of a command, a daemon or its page: in text, JSON or HTML. */
export function printedCommands(output: string): readonly string[] {
  const texts = textsIn(output);
  return [
    ...new Set(
      texts.flatMap((part) =>
        PLACES.flatMap((place) => [...part.matchAll(place)].map(([, found = '']) => found.trim())),
      ),
    ),
  ];
}

/** Finds text that looks like a command but has no visible end. */
export function strayCommands(output: string): readonly string[] {
  return textsIn(output).flatMap((part) => {
    const rest = PLACES.reduce((left, place) => left.replace(place, ''), part.replace(NO_COMMANDS, ''));
    return [...rest.matchAll(new RegExp(`fwdsync (?:${NAMES})\\b.{0,40}`, 'g'))].map(([found]) => found);
  });
}

function textsIn(output: string): readonly string[] {
  const whole = parse(output);
  if (whole !== undefined) return stringsIn(whole);
  const lines = output
    .split('\n')
    .map((line) => [line, line.startsWith('{') ? parse(line) : undefined] as const);
  const plain = lines.filter(([, value]) => value === undefined).map(([line]) => line);
  return [
    decoded(plain.join('\n')),
    ...lines.flatMap(([, value]) => (value === undefined ? [] : stringsIn(value))),
  ];
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Decodes the entities of HTML. */
function decoded(page: string): string {
  if (!page.includes('<code>')) return page;
  return page
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&#96;', '`')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

export interface Ran {
  readonly line: string;
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs a printed command through a shell, in another directory, with only this environment. `--yes` is added if it would ask. A
 * command that serves runs as a process and is stopped once it serves.
 */
export async function runPrinted(
  line: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ran> {
  const asks = /fwdsync (?:apply|undo)\b/.test(line) && !line.includes('--yes');
  if (!/fwdsync run\b/.test(line)) {
    const { code, stdout, stderr } = await runInShell(asks ? `${line} --yes` : line, { cwd, env });
    return { line, code, output: `${stdout}${stderr}` };
  }
  const child = spawn('sh', ['-c', `exec ${line} --listen 127.0.0.1:0 --log-format json`], {
    cwd,
    env: { PATH: PROGRAM_PATH, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (chunk) => {
    if (String(chunk).includes('"status.listening"')) child.kill('SIGTERM');
  });
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { line, code: child.exitCode, output: `${out}${error}` };
}
