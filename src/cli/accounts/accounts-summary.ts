import { plural, escapeInvisible } from '../../core/model/names.ts';
import type { CommandResult } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { applyWith } from '../../core/plan/render/render-text.ts';
import type { Style } from '../../core/plan/render/style.ts';

/** End of a command for one account. */
export interface AccountEnd extends CommandResult {
  readonly name: string;
  readonly error: { readonly message: string; readonly hint: string } | null;
}

/**
 * Renders the lines below all accounts: one line for each, and the command that applies their plans if none is
 * refused.
 */
export function renderAccounts(ends: readonly AccountEnd[], style: Style, apply: string | null): string {
  const width = Math.max(...ends.map(({ name }) => name.length));
  const lines = ends.map(
    (end) => `  ${style.strong(escapeInvisible(end.name).padEnd(width))}  ${lineOf(end, style)}\n`,
  );
  const isPlanned = ends.every(({ exit }) => exit === EXIT.done || exit === EXIT.changes);
  const next = apply !== null && isPlanned && ends.some(({ canApply }) => canApply === true);
  return `${style.strong(plural(ends.length, 'account'))}\n${lines.join('')}${next ? `${applyWith(apply)}\n` : ''}`;
}

function lineOf({ exit, verdict, error }: AccountEnd, style: Style): string {
  if (error === null) return verdict ?? WORDS[exit];
  return `${style.error(WORDS[exit])}: ${escapeInvisible(error.message)}`;
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
