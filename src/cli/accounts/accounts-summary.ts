import { plural, escapeInvisible } from '../../model/names.ts';
import type { CheckedManifests } from '../context.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { applyWith } from '../../plan/render/text.ts';
import type { Style } from '../../plan/render/style.ts';

/** How a command ended for one account. */
export interface AccountEnd {
  readonly name: string;
  readonly exitCode: ExitCode;
  /** What the command would have printed for this account alone; null: it did not come to that. */
  readonly document: object | null;
  /** What `validate` found, for formats that are one document of all accounts. */
  readonly checked: CheckedManifests;
  /** What is for the file of `--out`. */
  readonly plan: object | null;
  /** What the command says of the account in one line. */
  readonly verdict: string | null;
  /** Whether something was written, or may have been. */
  readonly wrote: boolean;
  /** Whether its plan has changes that apply would run. */
  readonly canApply: boolean;
  readonly error: { readonly message: string; readonly hint: string } | null;
}

/** Below what each has printed: a line an account, and the command that applies their plans where none is refused. */
export function renderAccounts(ends: readonly AccountEnd[], style: Style, apply: string | null): string {
  const width = Math.max(...ends.map(({ name }) => name.length));
  const lines = ends.map(
    (end) => `  ${style.strong(escapeInvisible(end.name).padEnd(width))}  ${lineOf(end, style)}\n`,
  );
  const isPlanned = ends.every(({ exitCode }) => exitCode === EXIT.done || exitCode === EXIT.changes);
  const next = apply !== null && isPlanned && ends.some(({ canApply }) => canApply);
  return `${style.strong(plural(ends.length, 'account'))}\n${lines.join('')}${next ? `${applyWith(apply)}\n` : ''}`;
}

function lineOf({ exitCode, verdict, error }: AccountEnd, style: Style): string {
  if (error === null) return verdict ?? WORDS[exitCode];
  return `${style.error(WORDS[exitCode])}: ${escapeInvisible(error.message)}`;
}

const WORDS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'done',
  [EXIT.failed]: 'failed',
  [EXIT.changes]: 'changes',
  [EXIT.partial]: 'partial',
  [EXIT.refused]: 'refused',
  [EXIT.invalid]: 'invalid',
  [EXIT.stale]: 'stale',
  [EXIT.usage]: 'wrong usage',
  [EXIT.interrupted]: 'interrupted',
  [EXIT.terminated]: 'terminated',
};
