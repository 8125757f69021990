import { Environment } from '@marcbachmann/cel-js';
import vm from 'node:vm';
import { RE2JS } from 're2js';

/** What the groups of a pattern hold, the whole match first; null: no match. */
export type Match = readonly string[] | null;

export interface MailTexts {
  readonly sender: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
}

const MAX_PATTERN = 1000;
const MAX_TEXT = 100_000;
/** Functions of expressions may backtrack; far more than a good one takes on a machine that is busy. */
const MAX_MILLISECONDS = 1000;

interface Reading {
  readonly extent: 'whole' | 'anywhere';
  readonly letterCase: 'any' | 'exact';
}

/** A pattern in the service's dialect, which takes linear time; one that cannot be compiled matches nothing. */
export function patternMatcher(source: string, options: Reading): (text: string) => Match {
  const regex = source.length > MAX_PATTERN ? null : tryPattern(source, options);
  if (regex === null) return () => null;
  return (text) => {
    const matcher = regex.matcher(text.slice(0, MAX_TEXT));
    const matches = options.extent === 'whole' ? matcher.matches() : matcher.find();
    if (!matches) return null;
    return Array.from({ length: regex.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
  };
}

function tryPattern(source: string, { extent, letterCase }: Reading): RE2JS | null {
  // From end to end, the published examples such as `.*invoice.*` only match a body if the dot takes line breaks.
  const flags = extent === 'whole' ? RE2JS.DOTALL : 0;
  try {
    return RE2JS.compile(source, letterCase === 'any' ? flags | RE2JS.CASE_INSENSITIVE : flags);
  } catch {
    return null;
  }
}

let shared: Environment | undefined;

/** An expression that cannot be parsed, or that fails on a mail, does not match. */
export function expressionMatcher(source: string): (mail: MailTexts) => boolean {
  shared ??= createEnvironment();
  try {
    const evaluate = shared.parse(source);
    return (mail) => withinTime(() => evaluate({ ...mail }) === true) ?? false;
  } catch {
    return () => false;
  }
}

function createEnvironment(): Environment {
  const environment = new Environment({ limits: { maxAstNodes: 5000, maxDepth: 60 } });
  for (const name of ['sender', 'recipient', 'subject', 'body']) {
    environment.registerVariable(name, 'string');
  }
  return environment;
}

const sandbox: { run: (() => unknown) | null } = { run: null };
const runInSandbox = new vm.Script('run()');
vm.createContext(sandbox);

/** The result of `run`; null when it throws or takes too long. It is interrupted then, in the middle of a match too. */
function withinTime<T>(run: () => T): T | null {
  sandbox.run = run;
  try {
    return runInSandbox.runInContext(sandbox, { timeout: MAX_MILLISECONDS }) as T;
  } catch {
    return null;
  }
}
