import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { fail, succeed, type Result } from '../model/result.ts';
import { cel } from './libraries.ts';
import { compilePattern, type Pattern } from './regex.ts';

/** The string variables of an expression (field notes: rules mode). */
export interface MailVariables {
  readonly subject: string;
  readonly body: string;
  readonly sender: string;
  readonly recipient: string;
}

export interface Expression {
  readonly matches: (mail: MailVariables) => boolean;
}

export interface ExpressionFault {
  readonly message: string;
  readonly hint: string;
  /** Where in the expression, counted from 0; null when the whole of it is meant. */
  readonly offset: number | null;
}

const VARIABLES = ['subject', 'body', 'sender', 'recipient'] as const;
const MAX_EXPRESSION_LENGTH = 10_000;
const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
/** The library's own `matches` uses a backtracking engine; calls of it are rewritten to this function. */
const LINEAR_MATCHES = 'matchesInLinearTime';

let shared: Environment | undefined;

/** Parses and type-checks a CEL expression; its result must be bool. */
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
  const parsed = environment.parse(source);
  const checked = parsed.check();
  if (!checked.valid) return fail(explain(checked.error));
  if (checked.type !== 'bool') {
    const message = `the expression gives ${checked.type ?? 'no value'}, not bool`;
    return fail({ message, hint: 'compare it with something', offset: null });
  }
  const fault = rewrite(parsed.ast);
  if (fault !== null) return fail(fault);
  const evaluate = environment.parse(cel().serialize(parsed.ast));
  return succeed({ matches: (mail) => evaluates(evaluate, mail) });
}

/** An expression that fails on a mail, such as one that reads past the end of a list, does not match it. */
function evaluates(evaluate: (context: MailVariables) => unknown, mail: MailVariables): boolean {
  try {
    return evaluate(mail) === true;
  } catch {
    return false;
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
    if (!compiled.ok) return false;
    if (patterns.size < 1000) patterns.set(source, compiled.value);
    return compiled.value.finds(text);
  });
  return environment;
}

/** Rewrites calls of `matches` in place and checks their patterns; macros within macros would take unbounded time. */
function rewrite(root: ASTNode): ExpressionFault | null {
  const open: { value: unknown; macro: boolean }[] = [{ value: root, macro: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, macro } = next;
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, macro });
    if (!isNode(value)) continue;
    const isMacro = value.op === 'rcall' && MACROS.has(value.args[0]);
    if (isMacro && macro) {
      const message = 'a macro within a macro is not supported';
      return { message, hint: 'write the conditions out, or use several rules', offset: value.range.start };
    }
    const fault = rewriteMatches(value);
    if (fault !== null) return fault;
    open.push({ value: value.args, macro: macro || isMacro });
  }
  return null;
}

function rewriteMatches(node: ASTNode): ExpressionFault | null {
  if (node.op !== 'rcall' || node.args[0] !== 'matches') return null;
  node.args[0] = LINEAR_MATCHES;
  const [pattern] = node.args[2];
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return null;
  const compiled = compilePattern(pattern.args, { letterCase: 'exact' });
  return compiled.ok ? null : { ...compiled.error, offset: pattern.range.start };
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function explain(error: unknown): ExpressionFault {
  const { summary, range } = error as { summary?: string; range?: { start: number } };
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
