import type { Scope } from '../model/resources.ts';
import { compileExpression, type Expression, type Logic, type MailVariables } from './cel.ts';

/** Parts of a message that are not known, and an answer to each condition on them. */
export interface Unseen {
  readonly parts: ReadonlySet<Scope>;
  /** True if the condition is taken to hold. Equal texts are the same condition. */
  readonly assume: (condition: string) => boolean;
}

/** Returns true if the expression matches, with what is assumed of conditions on parts that are not known. */
export type AssumingTest = (mail: MailVariables, unseen: Unseen) => boolean;

/** Compiles an expression for mail of which parts are not known. */
export function assumingTest(expression: Expression): AssumingTest {
  const test = testOf(expression.logic());
  return (mail, unseen) => test(mail, unseen) === true;
}

/** Null means that the condition fails, such as by reading past the end of a list. */
type Test = (mail: MailVariables, unseen: Unseen) => boolean | null;

function testOf(logic: Logic): Test {
  switch (logic.op) {
    case '||':
      return joined(logic.parts.map(testOf), true);
    case '&&':
      return joined(logic.parts.map(testOf), false);
    case '!': {
      const test = testOf(logic.part);
      return (mail, unseen) => {
        const result = test(mail, unseen);
        return result === null ? null : !result;
      };
    }
    case 'condition':
      return conditionTest(logic.source);
  }
}

/** Joins tests of which one alone decides with `decisive`, even if another one fails. */
function joined(tests: readonly Test[], decisive: boolean): Test {
  return (mail, unseen) => {
    let hasFailed = false;
    for (const test of tests) {
      const result = test(mail, unseen);
      if (result === decisive) return decisive;
      if (result === null) hasFailed = true;
    }
    return hasFailed ? null : !decisive;
  };
}

function conditionTest(source: string): Test {
  const compiled = compileExpression(source);
  if (!compiled.ok) return () => null;
  const parts = partsIn(source);
  return (mail, unseen) => {
    if (!parts.some((part) => unseen.parts.has(part))) return compiled.value.resultOf(mail);
    // After a hop the recipient is another one, and so is the condition.
    return unseen.assume(parts.includes('recipient') ? `${source} of ${mail.recipient}` : source);
  };
}

const PARTS = ['sender', 'recipient', 'subject', 'body'] as const satisfies readonly Scope[];
const STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Returns the parts of a message that an expression names outside its strings. */
function partsIn(source: string): readonly Scope[] {
  const code = source.replace(STRINGS, '""');
  return PARTS.filter((part) => new RegExp(String.raw`\b${part}\b`).test(code));
}
