import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import { fail, succeed, type Result } from '../model/result.ts';
import { cel } from './libraries.ts';
import { compilePattern, type Pattern } from './regex.ts';

/** String variables of an expression (field notes: rules mode). */
export interface MailVariables {
  readonly subject: string;
  readonly body: string;
  readonly sender: string;
  readonly recipient: string;
}

export interface Expression {
  readonly matches: (mail: MailVariables) => boolean;
  /** Returns the same; null means that it fails. */
  readonly resultOf: (mail: MailVariables) => boolean | null;
  /** Returns how it is made of conditions. */
  readonly logic: () => Logic;
}

/** Conditions as logical operators join them. */
export type Logic =
  | { readonly op: '||' | '&&'; readonly parts: readonly Logic[] }
  | { readonly op: '!'; readonly part: Logic }
  | { readonly op: 'condition'; readonly source: string };

export interface ExpressionFault {
  readonly message: string;
  readonly hint: string;
  /** Position in the expression, counted from 0. null means the whole expression. */
  readonly offset: number | null;
}

const VARIABLES = ['subject', 'body', 'sender', 'recipient'] as const;
const MAX_EXPRESSION_LENGTH = 10_000;
const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** Replaces the library's `matches`, which uses a backtracking engine. */
const LINEAR_MATCHES = 'matchesInLinearTime';
/**
 * Replaces the library's `has`, which takes only fields of variables. The name has the same length, so that positions do not
 * change.
 */
const ANY_HAS = 'Has';
const OWN: ReadonlySet<string> = new Set([LINEAR_MATCHES, ANY_HAS]);

let shared: Environment | undefined;

/** Parses and type-checks a CEL expression, which must return a bool. */
export function compileExpression(source: string): Result<Expression, ExpressionFault> {
  if (source.length > MAX_EXPRESSION_LENGTH) {
    const message = `the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`;
    return fail({ message, hint: 'split it into several rules', offset: null });
  }
  try {
    return compile(source, (shared ??= createEnvironment()));
  } catch (error) {
    return fail(explain(error));
  }
}

function compile(source: string, environment: Environment): Result<Expression, ExpressionFault> {
  const parsed = parse(source, environment);
  const fault = useOwnMatches(parsed.ast);
  if (fault !== null) return fail(fault);
  const checked = parsed.check();
  if (!checked.valid) return fail(explain(checked.error));
  if (checked.type !== 'bool') {
    const message = `the expression gives ${checked.type ?? 'no value'}, not bool`;
    return fail({ message, hint: 'compare it with something', offset: null });
  }
  const resultOf = (mail: MailVariables): boolean | null => evaluate(parsed, mail);
  return succeed({
    matches: (mail) => resultOf(mail) === true,
    resultOf,
    logic: () => logicOf(parsed.ast, source),
  });
}

function logicOf(node: ASTNode, source: string): Logic {
  switch (node.op) {
    case '||':
    case '&&':
      return { op: node.op, parts: node.args.map((part) => logicOf(part, source)) };
    case '!_':
      return { op: '!', part: logicOf(node.args, source) };
    default:
      return { op: 'condition', source: source.slice(node.range.start, node.range.end) };
  }
}

/** Parses an expression and replaces its `has` with ours. */
function parse(source: string, environment: Environment): ParseResult {
  let text = source;
  for (const { node } of nodesIn(environment.parse(source).ast)) {
    if ((node.op === 'call' || node.op === 'rcall') && OWN.has(node.args[0])) {
      const summary = `there is no function ${node.args[0]}`;
      throw Object.assign(new Error(summary), { summary, range: node.range });
    }
    if (node.op !== 'call' || node.args[0] !== 'has' || node.args[1][0]?.op !== '.') continue;
    const { start } = node.range;
    text = `${text.slice(0, start)}${ANY_HAS}${text.slice(start + ANY_HAS.length)}`;
  }
  return environment.parse(text);
}

/** Evaluates an expression. Returns null if it fails on a mail, such as by reading past the end of a list. */
function evaluate(run: (context: MailVariables) => unknown, mail: MailVariables): boolean | null {
  try {
    return run(mail) === true;
  } catch {
    return null;
  }
}

function createEnvironment(): Environment {
  const environment = new (cel().Environment)({ limits: { maxAstNodes: 5000, maxDepth: 60 } });
  for (const name of VARIABLES) environment.registerVariable(name, 'string');
  const patterns = new Map<string, Pattern>();
  environment.registerFunction(`string.${LINEAR_MATCHES}(string): bool`, (text: string, source: string) => {
    const known = patterns.get(source);
    if (known !== undefined) return known.finds(text);
    const compiled = compilePattern(source, { letterCase: 'exact' });
    if (!compiled.ok) throw new Error(compiled.error.message);
    if (patterns.size < 1000) patterns.set(source, compiled.value);
    return compiled.value.finds(text);
  });
  environment.registerFunction(`${ANY_HAS}(ast): bool`, hasField);
  return environment;
}

/** Objects that the library passes to a macro; see its README, "Custom macros". */
interface Checker {
  check(node: ASTNode, context: unknown): unknown;
  getType(name: 'bool'): unknown;
}
interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
}

/** Returns the macro `has` for a field of any map. */
function hasField({ args: [field] }: { readonly args: readonly [FieldNode] }): object {
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
}

type FieldNode = Extract<ASTNode, { readonly op: '.' }>;

/**
 * Replaces calls of `matches` with our function and checks their patterns. Refuses macros within macros, which could take
 * unlimited time.
 */
function useOwnMatches(root: ASTNode): ExpressionFault | null {
  for (const { node, isInMacro } of nodesIn(root)) {
    if (isMacro(node) && isInMacro) {
      const message = 'a macro within a macro is not supported';
      return { message, hint: 'write the conditions out, or use several rules', offset: node.range.start };
    }
    if (node.op !== 'rcall' || node.args[0] !== 'matches') continue;
    node.args[0] = LINEAR_MATCHES;
    const [pattern] = node.args[2];
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') continue;
    const compiled = compilePattern(pattern.args, { letterCase: 'exact' });
    if (!compiled.ok) return { ...compiled.error, offset: pattern.range.start };
  }
  return null;
}

/** Yields all nodes of an expression. */
function* nodesIn(root: ASTNode): Generator<{ readonly node: ASTNode; readonly isInMacro: boolean }> {
  const open: { value: unknown; isInMacro: boolean }[] = [{ value: root, isInMacro: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, isInMacro } = next;
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, isInMacro });
    if (!isNode(value)) continue;
    yield { node: value, isInMacro };
    open.push({ value: value.args, isInMacro: isInMacro || isMacro(value) });
  }
}

function isMacro(node: ASTNode): boolean {
  return node.op === 'rcall' && MACROS.has(node.args[0]);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function explain(error: unknown): ExpressionFault {
  const { summary: stated, range } = error as { summary?: string; range?: { start: number } };
  const summary = stated?.replace(LINEAR_MATCHES, 'matches');
  const hint = 'an expression may use subject, body, sender and recipient, and must be true or false';
  if (summary === undefined) {
    return {
      message: 'the expression is nested too deeply',
      hint: 'split it into several rules',
      offset: null,
    };
  }
  return { message: summary, hint, offset: range?.start ?? null };
}
