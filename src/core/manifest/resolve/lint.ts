import { FINDING_CODES, parseSilence, type Silence } from '../../model/lint/findings.ts';
import { quote } from '../../model/names.ts';
import { ERROR_CODES } from '../problem-codes.ts';
import type { ProblemLog } from '../problems.ts';
import { textOf, valueOf, type Node } from '../read/node.ts';
import { didYouMean } from '../read/suggest.ts';

/** Reads the findings that `lint: { off: […] }` silences. A code that is not a warning or notice is reported. */
export function readLint(lint: Node | undefined, log: ProblemLog): readonly Silence[] {
  const list = valueOf(lint, 'off');
  return (list?.kind === 'list' ? list.items : []).flatMap((node) => {
    const text = textOf(node);
    if (!text) return [];
    const silence = parseSilence(text);
    if (silence === null) reportUnknown(node, text, log);
    return silence ?? [];
  });
}

function reportUnknown(node: Node, text: string, log: ProblemLog): void {
  const [code = ''] = text.trim().split(/\s/, 1);
  const isError = (ERROR_CODES as readonly string[]).includes(code);
  log.report('unknown-code', node, {
    message: isError
      ? `${quote(code)} is an error, which cannot be silenced`
      : `${quote(code)} is not the code of a warning or notice`,
    hint: isError
      ? 'fix what it reports'
      : didYouMean(
          code,
          FINDING_CODES,
          'write CODE or "CODE ENTRY"; copy the code from the brackets after the finding',
        ),
  });
}
