import type { FindingSubject } from '../lint/findings.ts';

/** A place in a manifest; line and column count from 1. Standard input is the file `-`. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A fault of a manifest, or a fact worth knowing: what, where, why and what to do. */
export interface Problem {
  readonly severity: 'error' | 'warning' | 'notice';
  /** Stable and kebab-case, such as `unknown-destination`; scripts match on it. */
  readonly code: string;
  readonly message: string;
  /** The way to fix it; one sentence. */
  readonly hint: string;
  readonly source: Source | null;
  /** The other place of a conflict, such as the first of two equal names. */
  readonly related?: Source;
  /** The domain's `use`, if a template added the entry. */
  readonly via?: Source;
  /** The subject, if the place does not show it; see `lint.off`. */
  readonly subject?: FindingSubject;
}

/** Orders problems, and anything else with a source, by file, line and column; those without a source come last. */
export function compareSources(a: Source | null, b: Source | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

const SEVERITIES: readonly Problem['severity'][] = ['error', 'warning', 'notice'];

/** Orders problems by severity, errors first; the order within a severity stays. */
export function errorsFirst(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/** Formats a source as `file:line:column`, which editors and terminals turn into a link. */
export function showSource(source: Source): string {
  return `${source.file}:${source.line}:${source.column}`;
}
