import type { FindingSubject } from '../model/lint/findings.ts';
import { compareSources, type Problem, type Source } from '../model/manifest/problem.ts';
import { severityOf, type ProblemCode } from './problem-codes.ts';
import { sourceOf, type Place } from './read/text.ts';

/** The problems that one loading has found so far. */
export interface ProblemLog {
  readonly report: (code: ProblemCode, place: Place | Source, words: Words) => void;
  /** Returns the kept problems in order of position, without their subjects; of equal ones only the first. */
  readonly sorted: (isKept?: (problem: Problem) => boolean) => readonly Problem[];
  readonly errorCount: () => number;
  /** Returns the errors in the order in which they were found. */
  readonly errors: () => readonly Problem[];
}

export interface Words {
  readonly message: string;
  readonly hint: string;
  /** The other place of a conflict. */
  readonly related?: Place | Source;
  /** The domain's `use`, if a template added the entry. */
  readonly via?: Source;
  /** The subject, if the place does not show it. */
  readonly subject?: FindingSubject;
}

export function createProblemLog(): ProblemLog {
  const problems: Problem[] = [];
  const errors: Problem[] = [];
  return {
    report(code, place, words) {
      const severity = severityOf(code);
      const problem = {
        severity,
        code,
        message: words.message,
        hint: words.hint,
        source: toSource(place),
        ...(words.via === undefined ? {} : { via: words.via }),
        ...(words.subject === undefined ? {} : { subject: words.subject }),
        ...(words.related === undefined ? {} : { related: toSource(words.related) }),
      };
      problems.push(problem);
      if (severity === 'error') errors.push(problem);
    },
    sorted: (isKept = () => true) => sortProblems(problems.filter(isKept)),
    errorCount: () => errors.length,
    errors: () => errors,
  };
}

function toSource(place: Place | Source): Source {
  return 'offset' in place ? sourceOf(place) : place;
}

function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  const distinct = problems.filter(({ code, message, source }) => {
    const key = `${source?.file}\n${source?.line}:${source?.column}\n${code}\n${message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return distinct
    .map(({ subject, ...problem }) => nameDomain(problem, subject))
    .sort((a, b) => compareSources(a.source, b.source));
}

/**
 * Adds the domain to a problem in a template. Many domains may use the template; the first of equal findings stands
 * for all.
 */
function nameDomain(problem: Problem, subject: FindingSubject = {}): Problem {
  if (problem.via === undefined || subject.domain === undefined) return problem;
  return { ...problem, message: `${problem.message}, in ${subject.domain}` };
}
