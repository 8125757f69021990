import { escapeInvisible } from '../../../core/model/names.ts';
import { wrapWords } from '../../../core/plan/render/wrap.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import type { GateDocument, MoveDocument } from '../../../service/move/move-document.ts';

export interface MoveLook {
  readonly style: Style;
  /** Width that sentences keep to. */
  readonly columns: number;
}

const STATE_WIDTH = 9;
/** Lines of evidence that a gate shows. */
const MOST_LINES = 20;
const INDENT = ' '.repeat(STATE_WIDTH + 2);

/** Renders the gates in order: what was seen of each, and what is to be done. */
export function renderMove({ domain, gates }: MoveDocument, look: MoveLook): string {
  const done = gates.filter(({ state }) => state === 'done').length;
  const lines = [
    `${domain}: ${done} of ${gates.length} gates done`,
    '',
    ...gates.flatMap((gate) => gateLines(gate, look)),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function gateLines({ gate, state, until, evidence, todo }: GateDocument, look: MoveLook): readonly string[] {
  const time = state === 'waiting' && until !== null ? `, until ${until.replace(/:\d\d\.\d+Z$/, 'Z')}` : '';
  const more = evidence.length - MOST_LINES;
  return [
    `${paint(state, look.style)}  ${gate}${time}`,
    ...evidence.slice(0, MOST_LINES).flatMap((text) => sentence(text, look)),
    ...(more > 0 ? [`${INDENT}and ${more} more: --format json lists all`] : []),
    // Commands and records stay on one line each.
    ...todo.map((text, index) => `${INDENT}${index === 0 ? 'do: ' : '    '}${escapeInvisible(text)}`),
  ];
}

function paint(state: GateDocument['state'], style: Style): string {
  const text = state.padEnd(STATE_WIDTH);
  switch (state) {
    case 'done':
      return style.good(text);
    case 'blocked':
      return style.error(text);
    case 'next':
      return style.warning(text);
    case 'waiting':
      return style.dim(text);
  }
}

function sentence(text: string, { columns }: MoveLook): readonly string[] {
  const lines = wrapWords(escapeInvisible(text), { used: INDENT.length, indent: INDENT.length + 2, columns });
  return lines.map((line, index) => `${INDENT}${index === 0 ? '' : '  '}${line}`);
}
