import { execFile } from 'node:child_process';

export interface ToolResult {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end; `input` is its standard input. */
export function runTool(program: string, args: readonly string[], input = ''): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { timeout: 60_000, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, output: `${stdout}${stderr}` });
      },
    );
    child.stdin?.end(input);
  });
}

/** Runs Debian's swaks against a server on loopback. Without input it asks no questions. */
export function swaks(address: string | null, ...args: readonly string[]): Promise<ToolResult> {
  return runTool('swaks', ['--server', '127.0.0.1', '--port', address?.split(':')[1] ?? '', ...args]);
}
