/** A fenced block of a page. */
export interface CodeBlock {
  /** Language of its fence; empty means none. */
  readonly language: string;
  /** The line of the page on which it begins, from 1. */
  readonly line: number;
  readonly text: string;
}

export function codeBlocks(page: string): readonly CodeBlock[] {
  return [...page.matchAll(/^( *)```(\w*)\n(.*?)^\1```/gms)].map((match) => {
    const [, indent = '', language = '', text = ''] = match;
    const line = page.slice(0, match.index).split('\n').length + 1;
    return { language, line, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** A command line as a page shows it. */
export interface DocumentedCommand {
  readonly line: number;
  /** On one line, without its comment. */
  readonly command: string;
  /** Output that the page shows below it; empty means none. */
  readonly output: readonly string[];
}

/** First words of command lines in a block; other lines are output. */
const COMMAND =
  /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:exec )?(?:fwdsync|npm|npx|docker|kubectl|systemctl|curl|git|source|echo)\b/;

/** Returns the command lines of a block in order. A line with a prompt is followed by its output; in YAML they are steps of a job. */
export function documentedCommands({ language, line: first, text }: CodeBlock): readonly DocumentedCommand[] {
  const found: { line: number; command: string; output: string[]; isPrompted: boolean }[] = [];
  let line = first;
  for (const written of text.trimEnd().split(/(?<!\\)\n/)) {
    const step = language === 'yaml' ? written.replace(/^\s*(?:- )?(?:run: )?/, '') : written;
    const last = found.at(-1);
    if (COMMAND.test(step)) {
      const whole = step.replaceAll(/\s*\\\n\s*/g, ' ').replace(/(?:^|\s+)#(?=\s).*$/, '');
      const isPrompted = whole.startsWith('$ ');
      found.push({ line, command: whole.replace(/^\$ /, '').trim(), output: [], isPrompted });
    } else if (last?.isPrompted === true) last.output.push(written);
    line += written.split('\n').length;
  }
  return found.map(({ line: at, command, output }) => ({ line: at, command, output }));
}

/** Returns the command lines of a block that start fwdsync, so that a test can run them. */
export function programCommands(block: CodeBlock): readonly DocumentedCommand[] {
  return documentedCommands(block).filter(
    ({ command }) => /\bfwdsync(?: --)? [a-z]/.test(command) && !command.startsWith('npm install'),
  );
}
