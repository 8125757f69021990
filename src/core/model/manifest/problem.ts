import type { FindingSubject } from '../lint/findings.ts';

/** A place in a manifest; line and column count from 1. Standard input is the file `-`. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Something wrong with, or worth knowing about, a manifest: what, where, why and what to do. */
export interface Problem {
  readonly severity: 'error' | 'warning' | 'notice';
  /** Stable and kebab-case, such as `unknown-destination`; scripts match on it. */
  readonly code: string;
  readonly message: string;
  /** How to put it right; one sentence. */
  readonly hint: string;
  readonly source: Source | null;
  /** The other place of a conflict, such as the first of two equal names. */
  readonly related?: Source;
  /** The `use` of the domain for which a template brought it. */
  readonly via?: Source;
  /** What it is about, where its place does not say that: see `lint.off`. */
  readonly subject?: FindingSubject;
}

/** Orders problems and anything else with a source by file, line and column; what has no source comes last. */
export function compareSources(a: Source | null, b: Source | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

const SEVERITIES: readonly Problem['severity'][] = ['error', 'warning', 'notice'];

/** Orders problems by severity, errors first; those of one severity stay in their order. */
export function errorsFirst(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/** `file:line:column`, the form that editors and terminals turn into a link. */
export function showSource(source: Source): string {
  return `${source.file}:${source.line}:${source.column}`;
}
