/** A command of a `console` block, and the output that the page shows below it. */
export interface ConsoleCommand {
  /** Without its prompt; it may have several lines. */
  readonly command: string;
  readonly output: string;
}

export interface Reader {
  /** Runs a command and returns what it printed. */
  readonly run: (command: ConsoleCommand) => Promise<string>;
  /** Edits a file as a `diff` block shows. */
  readonly edit?: (diff: string) => Promise<void>;
}

const BLOCK = /^( *)```(console|diff)\n(.*?)^\1```$/gms;
/** Comment above a block that states why no test runs it. */
const NOT_RUN = /<!-- not run: [^>]+ -->\s*$/;

/** True if a page has a `console` block that a test has to run. */
export function runnable(page: string): boolean {
  return [...page.matchAll(BLOCK)].some(
    ({ index, 2: language }) => language === 'console' && !NOT_RUN.test(page.slice(0, index)),
  );
}

/** Follows a page from top to bottom. Returns the page with the outputs that differ, apart from times and ids, replaced. */
export async function followPage(page: string, { run, edit }: Reader): Promise<string> {
  let followed = '';
  let end = 0;
  for (const match of page.matchAll(BLOCK)) {
    const [block, indent = '', language, text = ''] = match;
    if (NOT_RUN.test(page.slice(end, match.index))) continue;
    const content = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    let shown = content;
    if (language === 'console') shown = await followBlock(content, run);
    else await edit?.(content);
    followed +=
      page.slice(end, match.index) + block.replace(text, () => shown.replaceAll(/^(?=.)/gm, indent));
    end = match.index + block.length;
  }
  return followed + page.slice(end);
}

async function followBlock(block: string, run: Reader['run']): Promise<string> {
  const lines: string[] = [];
  for (const step of consoleCommands(block)) {
    const printed = await run(step);
    const output = isShown(step.output, printed) ? step.output : printed.trimEnd();
    lines.push(`$ ${step.command}`, ...(output === '' ? [] : [output]));
  }
  return `${lines.join('\n')}\n`;
}

/** Parses a `console` block. A command continues after a backslash, and up to the end of its here-document. */
export function consoleCommands(block: string): readonly ConsoleCommand[] {
  const found: { command: string; output: string[]; isOpen: boolean }[] = [];
  for (const line of block.trimEnd().split('\n')) {
    const last = found.at(-1);
    if (last?.isOpen === true) {
      last.command += `\n${line}`;
      last.isOpen = isOpen(last.command);
    } else if (line.startsWith('$ ')) {
      const command = line.slice(2);
      found.push({ command, output: [], isOpen: isOpen(command) });
    } else last?.output.push(line);
  }
  return found.map(({ command, output }) => ({ command, output: output.join('\n').trimEnd() }));
}

function isOpen(command: string): boolean {
  const [, end] = /<<-?'?(\w+)'?/.exec(command) ?? [];
  return command.endsWith('\\') || (end !== undefined && !new RegExp(`\\n\\s*${end}$`).test(command));
}

/** Text that differs between runs, and the word that replaces it in a comparison. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\d{4}-\d\d-\d\d/g, 'DATE'],
  [/\S*\/snapshots\/\S+/g, 'SNAPSHOT'],
  [/\b\d+(?:\.\d+)? (?:ms|s|min)\b/g, 'DURATION'],
  [/(?<=\b(?:undo|run|history|apply) )[0-9a-z]{8,12}\b/g, 'ID'],
  [/^[0-9a-z]{8,12}(?=  )/gm, 'ID'],
  // The id of a commit may have no letter.
  [/\b(?:[0-9a-f]{7,64}|(?=[a-z]*\d)[0-9a-z]{7,64})\b/g, 'ID'],
  [/(?:127\.0\.0\.1:\d+|api\.improvmx\.com)(?= \(v[34]\))/g, 'HOST'],
  // Names of users and hosts have different lengths, and so different places to wrap a line.
  [/\s+/g, ' '],
];

/** True if a page shows what was printed. A line `…` on the page stands for any lines that it leaves out. */
export function isShown(shown: string, printed: string): boolean {
  const parts = shown.split(/^…$/m).map(comparable);
  const rest = comparable(printed);
  if (parts.length === 1) return rest === parts[0];
  const ends = rest.startsWith(parts[0] ?? '') && rest.endsWith(parts.at(-1) ?? '');
  return ends && parts.every((part) => rest.includes(part));
}

/** Returns a text without times and ids, to compare what a page shows with what a command prints. */
export function comparable(text: string): string {
  return VARIABLE.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), text).trim();
}
