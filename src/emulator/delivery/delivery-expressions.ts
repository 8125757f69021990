import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import vm from 'node:vm';
import { compiledMatcher, type Match } from './delivery-patterns.ts';

/** String variables of an expression. */
export interface MailTexts {
  readonly sender: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
}

/**
 * Time limit for one expression. Nested macros may take long; a reasonable expression needs far less, even on a busy
 * machine.
 */
const MAX_MILLISECONDS = 1000;
/** Replaces the library's `matches`, which takes JavaScript's patterns. */
const RE2_MATCHES = 'matchesRe2';
/**
 * Replaces the library's `has`, which takes only fields of variables. The name has the same length, so that positions in the
 * source stay.
 */
const ANY_HAS = 'Has';

let shared: Environment | undefined;

/** Returns a matcher for an expression. An expression that cannot be parsed, or that fails on a mail, does not match. */
export function expressionMatcher(source: string): (mail: MailTexts) => boolean {
  shared ??= createEnvironment();
  try {
    const evaluate = shared.parse(withOwnHas(source, shared.parse(source).ast));
    for (const node of nodesIn(evaluate.ast)) {
      if (node.op === 'rcall' && node.args[0] === 'matches') node.args[0] = RE2_MATCHES;
    }
    return (mail) => withinTime(() => evaluate({ ...mail }) === true) ?? false;
  } catch {
    return () => false;
  }
}

/** Replaces calls of `has` with our own. Throws if the expression itself calls one of our functions. */
function withOwnHas(source: string, root: ASTNode): string {
  let text = source;
  for (const node of nodesIn(root)) {
    if (node.op !== 'call' && node.op !== 'rcall') continue;
    const [name] = node.args;
    if (name === ANY_HAS || name === RE2_MATCHES) throw new Error(`there is no function ${name}`);
    if (node.op !== 'call' || name !== 'has' || node.args[1][0]?.op !== '.') continue;
    const { start } = node.range;
    text = `${text.slice(0, start)}${ANY_HAS}${text.slice(start + ANY_HAS.length)}`;
  }
  return text;
}

function createEnvironment(): Environment {
  const environment = new Environment({ limits: { maxAstNodes: 5000, maxDepth: 60 } });
  for (const name of ['sender', 'recipient', 'subject', 'body']) {
    environment.registerVariable(name, 'string');
  }
  const matchers = new Map<string, (text: string) => Match>();
  environment.registerFunction(`string.${RE2_MATCHES}(string): bool`, (text: string, pattern: string) => {
    const known = matchers.get(pattern);
    const matcher = known ?? compiledMatcher(pattern, { extent: 'anywhere', letterCase: 'exact' });
    if (matcher === null) throw new Error(`the pattern ${pattern} does not compile`);
    if (known === undefined && matchers.size < 1000) matchers.set(pattern, matcher);
    return matcher(text) !== null;
  });
  environment.registerFunction(`${ANY_HAS}(ast): bool`, ({ args: [field] }: { args: readonly [Field] }) => {
    const [operand, name] = field.args;
    return {
      typeCheck(checker: Checker, _: unknown, context: unknown) {
        checker.check(field, context);
        return checker.getType('bool');
      },
      evaluate(evaluator: Evaluator, _: unknown, context: unknown) {
        const map = evaluator.run(operand, context);
        return map instanceof Map ? map.has(name) : Object.hasOwn(map as object, name);
      },
    };
  });
  return environment;
}

type Field = Extract<ASTNode, { readonly op: '.' }>;

/** Objects that the library passes to a macro; see its README, "Custom macros". */
interface Checker {
  check(node: ASTNode, context: unknown): unknown;
  getType(name: 'bool'): unknown;
}
interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
}

function* nodesIn(value: unknown): Generator<ASTNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item);
  if (typeof value !== 'object' || value === null || !('op' in value && 'args' in value)) return;
  yield value as ASTNode;
  yield* nodesIn(value.args);
}

const sandbox: { run: (() => unknown) | null } = { run: null };
const runInSandbox = new vm.Script('run()');
vm.createContext(sandbox);

/** Returns the result of `run`, or null if it throws or takes too long. A run that takes too long is interrupted. */
function withinTime<T>(run: () => T): T | null {
  sandbox.run = run;
  try {
    return runInSandbox.runInContext(sandbox, { timeout: MAX_MILLISECONDS }) as T;
  } catch {
    return null;
  }
}
