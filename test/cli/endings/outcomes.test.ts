import { describe, expect, test } from 'vitest';
import { reportExit } from '../../../src/cli/commands/apply/conclude.ts';
import type { Outcome, Stop } from '../../../src/core/model/report.ts';
import { openWorkspace, OWNER, type Workspace } from '../../support/workspace.ts';

// The outcome of a run and the exit code of its command agree.

const EXPECTED: Readonly<Record<Outcome, number>> = {
  unchanged: 0,
  converged: 0,
  partial: 3,
  failed: 1,
  refused: 4,
};
const OUTCOMES = Object.keys(EXPECTED) as readonly Outcome[];
const STOPS: readonly (Stop['kind'] | null)[] = [
  null,
  'unauthorised',
  'unreachable',
  'rate-limited',
  'redirect',
  'too-many-failures',
  'interrupted',
];
const PAIRS = OUTCOMES.flatMap((outcome) => STOPS.map((stop) => [outcome, stop] as const));

test.each(PAIRS)('%s, stopped: %s', (outcome, kind) => {
  const stopped = kind === null ? null : { kind, message: 'why' };
  const codes = ['SIGINT', 'SIGTERM'].map((reason) =>
    reportExit(
      { outcome, stopped, problems: [], wrote: outcome === 'partial' },
      { signal: AbortSignal.abort(reason) },
    ),
  );
  const isInterrupted = outcome === 'failed' && kind === 'interrupted';
  expect(codes).toEqual(isInterrupted ? [130, 143] : [EXPECTED[outcome], EXPECTED[outcome]]);
});

describe('apply', () => {
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ alias: `a${index}`, forward: 'ana@corp.example' }));
  const head = `version: 1\napi: { account: ${OWNER} }\ndomains:\n  acme.example:\n    prune: { aliases: true }\n`;
  const three = '    aliases: { a0: ana@corp.example, a1: ana@corp.example, a2: ana@corp.example';

  async function endOf(
    { run }: Workspace,
    ...args: readonly string[]
  ): Promise<{ readonly outcome: string; readonly code: number | null }> {
    const { code, stdout } = await run(['apply', '--yes', '--format', 'json', ...args]);
    const { outcome } = JSON.parse(stdout) as { readonly outcome: string };
    return { outcome, code };
  }

  async function open(count: number, manifest: string): Promise<Workspace> {
    const workspace = await openWorkspace([
      { domain: 'acme.example', aliases: aliases(count) },
      { domain: 'other.example', aliases: aliases(3) },
    ]);
    await workspace.write(manifest);
    return workspace;
  }

  test('whose addition another user made meanwhile, with its deletes withheld: refused, 4', async () => {
    const workspace = await open(8, `${head}${three}, info: ana@corp.example }\n`);
    workspace.emulator.faults.push({
      match: { method: 'POST' },
      do: {
        kind: 'edit',
        request: {
          method: 'POST',
          path: '/v4/domains/acme.example/aliases',
          body: { alias: 'info', forward: 'ana@corp.example' },
        },
      },
    });
    expect(await endOf(workspace, '--skip-refused')).toEqual({ outcome: 'refused', code: 4 });
  });

  test('with a domain that cannot be read and nothing else to write: failed, 1', async () => {
    const workspace = await open(
      3,
      `${head}${three} }\n  other.example: { aliases: { a0: ana@corp.example } }\n`,
    );
    workspace.emulator.faults.push({
      match: { method: 'GET', path: '^/domains/other\\.example/aliases', times: 'always' },
      do: { kind: 'listing', empty: true },
    });
    expect(await endOf(workspace, '--skip-refused')).toEqual({ outcome: 'failed', code: 1 });
  });

  test('with all items refused: failed, 1; with some refused: partial, 3; then converged and unchanged, 0', async () => {
    const workspace = await open(3, `${head}${three}, info: ana@corp.example }\n`);
    const no = {
      match: { method: 'POST' },
      do: { kind: 'status', code: 400, body: { message: 'no' } },
    } as const;
    workspace.emulator.faults.push(no);
    expect(await endOf(workspace)).toEqual({ outcome: 'failed', code: 1 });
    await workspace.write(
      `${head}${three}, info: ana@corp.example }\n  other.example: { aliases: { a0: bob@corp.example } }\n`,
    );
    workspace.emulator.faults.push(no);
    expect(await endOf(workspace)).toEqual({ outcome: 'partial', code: 3 });
    expect(await endOf(workspace)).toEqual({ outcome: 'converged', code: 0 });
    expect(await endOf(workspace)).toEqual({ outcome: 'unchanged', code: 0 });
  });
});
