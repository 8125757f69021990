import { suggest } from '../../../core/manifest/read/suggest.ts';
import { quote } from '../../../core/model/names.ts';
import { wrapWords } from '../../../core/plan/render/wrap.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT, usageError } from '../../exit.ts';
import { sentenceColumns } from '../../output/output.ts';
import type { Explanation } from './explanations.ts';
import { readExplanations } from './read-docs.ts';

/** Prints what the docs say about a code of a problem, warning, guard or gate. Reads nothing but the installed docs. */
export function explainCommand(
  context: Context,
  { args: [typed = ''] }: CommandCall,
): Promise<CommandResult> {
  const code = typed.replaceAll(/^[`[]|[`\]]$/g, '');
  const explanations = readExplanations();
  const found = explanations.filter((explanation) => explanation.code === code);
  if (found.length === 0) throw unknownCode(code, explanations);
  const document = { kind: 'fwdsync/explain@1', code, explanations: found };
  const columns = sentenceColumns(context.stdout);
  const text = (): string =>
    `${found
      .map((one, index) => {
        // Rows of the same table share the text below it.
        const isSame = one.text === found[index + 1]?.text;
        return renderExplanation(isSame ? { ...one, text: '' } : one, columns);
      })
      .join('\n\n')}\n`;
  return Promise.resolve({ exit: EXIT.done, ...chooseOutput(context, document, text) });
}

const MOST_NEAR = 5;

function unknownCode(code: string, explanations: readonly Explanation[]): Error {
  const codes = [...new Set(explanations.map((explanation) => explanation.code))];
  const closest = code.length > 100 ? null : suggest(code, codes);
  const parts = code.toLowerCase().split('-');
  const similar = codes.filter((each) =>
    parts.some((part) => part.length > 2 && each.split('-').includes(part)),
  );
  const near = [...new Set([...(closest === null ? [] : [closest]), ...similar])].slice(0, MOST_NEAR);
  return usageError(
    `no page explains ${quote(code)}`,
    near.length === 0
      ? 'copy the code in brackets after a problem, or the name of a guard'
      : near.map((each) => `\`fwdsync explain ${each}\``).join(', '),
  );
}

function renderExplanation(
  { code, kind, page, heading, fields, text }: Explanation,
  columns: number,
): string {
  const head = kind === null ? `${page}:` : `${kind} ${code}  (${page}, ${plain(heading, page)})`;
  const rows = fields.map(({ name, text: cell }) => {
    const indent = 4;
    const lines = wrapWords(plain(`${name}: ${cell}`, page), { used: 2, indent, columns });
    return `  ${lines.join(`\n${' '.repeat(indent)}`)}`;
  });
  return [head, ...rows, ...(text === '' ? [] : ['', plain(text, page)])].join('\n');
}

/** Turns Markdown into text for a terminal: links name their page, and nothing is bold or escaped. */
function plain(markdown: string, page: string): string {
  const folder = page.slice(0, page.lastIndexOf('/') + 1);
  return markdown
    .replaceAll(/\[([^\]]*)\]\(([^)#\s]*)(?:#[^)]*)?\)/g, (_, words: string, target: string) => {
      if (target === '') return words;
      return `${words} (${target.includes(':') ? target : new URL(target, `file:///${folder}`).pathname.slice(1)})`;
    })
    .replaceAll('**', '')
    .replaceAll(/\\([|<*])/g, '$1');
}
