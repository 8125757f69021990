import { compileExpression, type Logic } from '../cel.ts';
import type { NameVerdict } from '../name-match.ts';

type RecipientTest = (recipient: string) => NameVerdict;

/** Compiles an expression for mail of which only the recipient is known. */
export function recipientExpression(source: string): RecipientTest {
  const compiled = compileExpression(source);
  return compiled.ok ? testOf(compiled.value.logic()) : () => false;
}

function testOf(logic: Logic): RecipientTest {
  switch (logic.op) {
    case '||':
      return joined(logic.parts.map(testOf), true);
    case '&&':
      return joined(logic.parts.map(testOf), false);
    case '!': {
      const test = testOf(logic.part);
      return (recipient) => {
        const verdict = test(recipient);
        return verdict === 'possible' ? verdict : !verdict;
      };
    }
    case 'condition':
      return conditionTest(logic.source);
  }
}

/** Joins tests of which one alone decides with `decisive`, even where another one fails. */
function joined(tests: readonly RecipientTest[], decisive: boolean): RecipientTest {
  return (recipient) => {
    const verdicts = new Set(tests.map((test) => test(recipient)));
    if (verdicts.has(decisive)) return decisive;
    return verdicts.has('possible') ? 'possible' : !decisive;
  };
}

function conditionTest(source: string): RecipientTest {
  if (/\b(?:subject|body|sender)\b/.test(source)) return () => 'possible';
  const compiled = compileExpression(source);
  if (!compiled.ok) return () => 'possible';
  // One that fails may be one that decides nothing.
  return (recipient) =>
    compiled.value.resultOf({ recipient, subject: '', body: '', sender: '' }) ?? 'possible';
}
