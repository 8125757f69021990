import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';

/** A shell on a terminal of 100 columns. Variables, directory and background jobs last from command to command. */
export interface Shell {
  /** Runs a command and returns what the terminal shows. Every question is answered with `yes`. */
  readonly run: (command: string) => Promise<{ readonly code: number; readonly output: string }>;
}

/** Ends each command, and each output with its exit code. */
const END = '\u001e';

/** Reads commands from file descriptor 3, because standard input is the terminal. */
const DRIVER = String.raw`
  stty -echo cols 100
  while IFS= read -r -d $'\x1e' command <&3; do
    eval "$command" 3<&-
    printf '\x1e%d\x1e' $?
  done
  kill $(jobs -p)`;

export function openShell(cwd: string, env: Readonly<Record<string, string>>): Shell {
  const child = spawn('script', ['-qefc', 'bash --norc -c "$DRIVER"', '/dev/null'], {
    cwd,
    env: { ...env, DRIVER, SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  const [terminal, screen, , commands] = child.stdio as unknown as [Writable, Readable, null, Writable];
  onTestFinished(async () => {
    commands.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  return {
    run: (command) =>
      new Promise((resolve) => {
        let shown = '';
        screen.setEncoding('utf8').on('data', (text: string) => {
          shown += text;
          const [output = '', code, rest] = shown.split(END);
          if (/[?:] $/.test(stripVTControlCharacters(output))) terminal.write('yes\r');
          if (rest === undefined) return;
          screen.removeAllListeners('data');
          resolve({ code: Number(code), output: visible(output) });
        });
        commands.write(`${command}${END}`);
      }),
  };
}

/** Returns what stays on the screen: the lines without what was overwritten, such as a progress bar. */
export function visible(output: string): string {
  const lines = stripVTControlCharacters(output.replaceAll(/\r+\n/g, '\n')).split('\n');
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n');
}
