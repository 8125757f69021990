import { Environment } from '@marcbachmann/cel-js';
import vm from 'node:vm';

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
/** The service's dialect takes linear time; ours backtracks, and gives up after this. */
const MAX_MILLISECONDS = 100;

/** A pattern that cannot be compiled matches nothing. `whole`: as if wrapped in `^…$`. */
export function compilePattern(
  source: string,
  options: { readonly extent: 'whole' | 'anywhere'; readonly letterCase: 'any' | 'exact' },
): (text: string) => Match {
  const regex = source.length > MAX_PATTERN ? null : toRegExp(source, options);
  if (regex === null) return () => null;
  return (text) => {
    const found = withinTime(() => regex.exec(text.slice(0, MAX_TEXT)));
    return found === null ? null : found.map((group: string | undefined) => group ?? '');
  };
}

let shared: Environment | undefined;

/** An expression that cannot be parsed, or that fails on a mail, does not match. */
export function compileExpression(source: string): (mail: MailTexts) => boolean {
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

/** RE2 writes flags at the beginning, and group names with a P. */
function toRegExp(
  source: string,
  options: { readonly extent: 'whole' | 'anywhere'; readonly letterCase: 'any' | 'exact' },
): RegExp | null {
  const [prefix = '', written = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  const pattern = source.slice(prefix.length).replaceAll('(?P<', '(?<');
  const text = options.extent === 'whole' ? `^(?:${pattern})$` : pattern;
  const flags = [...new Set(options.letterCase === 'any' ? `${written}i` : written)].join('');
  return tryRegExp(text, `${flags}u`) ?? tryRegExp(text, flags);
}

function tryRegExp(text: string, flags: string): RegExp | null {
  try {
    return new RegExp(text, flags);
  } catch {
    return null;
  }
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
