import { showSource } from '../../../core/model/manifest/problem.ts';
import { domainPartOf, escapeInvisible } from '../../../core/model/names.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import { describeHistoryItem } from '../../../core/plan/document/history-item.ts';
import type { Style } from '../../../core/plan/render/style.ts';
import { wrapWords } from '../../../core/plan/render/wrap.ts';
import type { MessageDocument, WayDocument, WhyDocument } from '../../../service/why/why-document.ts';

interface WhyLook {
  readonly style: Style;
  /** Width that sentences keep to. */
  readonly columns: number;
  readonly command: CommandLine;
}

/** Renders the verdict in a sentence, then what supports it. */
export function renderWhy(document: WhyDocument, look: WhyLook): string {
  const { verdict, sentence, messages, notices } = document;
  const { style } = look;
  const paint = PAINT[verdict];
  const lines = [
    ...fit(`${paint(style)(verdict.toUpperCase())}  ${escapeInvisible(sentence)}`, look, {
      used: -hiddenLength(paint(style)(verdict), verdict),
      indent: 4,
    }),
    '',
    ...factsOf(document, look).flatMap(([name, text]) => factLines(name, text, look)),
    ...messages.slice(0, MOST_MESSAGES).flatMap((message) => messageLines(message, look)),
    ...(messages.length > MOST_MESSAGES
      ? [`${INDENT}and ${messages.length - MOST_MESSAGES} more: --format json lists all`]
      : []),
    ...notices.flatMap((notice) => factLines('note', notice, look)),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const MOST_MESSAGES = 10;
const WIDTH = 10;
const INDENT = ' '.repeat(WIDTH);

const bad = (style: Style): ((text: string) => string) => style.error;
const doubtful = (style: Style): ((text: string) => string) => style.warning;
const good = (style: Style): ((text: string) => string) => style.good;

const PAINT: Readonly<Record<WhyDocument['verdict'], typeof bad>> = {
  disabled: bad,
  'not-receiving': bad,
  refused: bad,
  failing: bad,
  differs: doubtful,
  discarded: doubtful,
  delivered: good,
  'not-seen': doubtful,
  unknown: doubtful,
};

/** Letters that a terminal does not show. */
function hiddenLength(painted: string, text: string): number {
  return painted.length - text.length;
}

function factsOf(
  document: WhyDocument,
  { command }: Pick<WhyLook, 'command'>,
): readonly (readonly [string, string])[] {
  const { address, manifest, account, differs, lastChange, receiving, messages, since } = document;
  const same = differs === false && manifest !== null;
  return [
    ['manifest', manifest === null ? 'does not name the domain' : wayText(manifest)],
    ['account', account === null ? 'not known' : same ? 'the same' : wayText(account)],
    ...(lastChange === null ? [] : [['changed', changeText(lastChange)] as const]),
    ...(receiving === null
      ? []
      : [['receives', receivingText(receiving, command(`verify ${domainPartOf(address)}`))] as const]),
    ['messages', `${messages.length === 0 ? 'none' : messages.length} since ${secondOf(since)}`],
  ];
}

function receivingText(receiving: boolean, verify: string): string {
  return receiving ? 'yes, according to the service' : `no, according to the service: see \`${verify}\``;
}

function wayText({ outcome, forward, by, source }: WayDocument): string {
  const end = outcome === 'delivered' ? forward.join(', ') : outcome === 'unknown' ? 'not known' : outcome;
  if (by === null) return outcome === 'refused' ? 'refused: nothing matches it' : end;
  const name = by.kind === 'fallback' ? 'the fallback of its rules' : `${by.kind} ${by.name}`;
  return `${end}, by ${name} (${source === null ? 'only in the account' : showSource(source)})`;
}

function changeText(change: NonNullable<WhyDocument['lastChange']>): string {
  const { at, run, person, commit, kind, name } = change;
  const who = run === null ? 'outside fwdsync' : `by run ${run}${person === null ? '' : `, ${person}`}`;
  const where = commit === null ? '' : `, commit ${commit.slice(0, 10)}`;
  const what = `${change.action} ${kind} ${name} ${describeHistoryItem(change)}`.trimEnd();
  return `${secondOf(at)} ${who}${where}: ${what}`;
}

/** Returns a time without its milliseconds. */
function secondOf(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}

const OUTCOMES: Readonly<Record<MessageDocument['outcome'], string>> = {
  delivered: 'delivered',
  refused: 'refused',
  soft: 'not yet',
  hard: 'bounced',
  discarded: 'discarded',
  queued: 'not delivered yet',
};

function messageLines(message: MessageDocument, look: WhyLook): readonly string[] {
  const { at, sender, subject, outcome, code, destination } = message;
  const time = at === null ? 'no time' : secondOf(at);
  const head = [time, OUTCOMES[outcome], ...(destination === null ? [] : [`-> ${destination}`])].join('  ');
  const from = `from ${sender ?? '<>'}${subject === '' ? '' : `: ${subject}`}`;
  const answer =
    message.message === null ? [] : [[code, message.message].filter((part) => part !== null).join(' ')];
  return [
    ...fit(`${INDENT}${head}`, look, { used: 0, indent: WIDTH + 2 }),
    ...[from, ...answer].flatMap((text) =>
      fit(`${INDENT}  ${text}`, look, { used: 0, indent: WIDTH + 4 }).map(look.style.dim),
    ),
  ];
}

function factLines(name: string, text: string, look: WhyLook): readonly string[] {
  return fit(`${name.padEnd(WIDTH)}${escapeInvisible(text)}`, look, { used: 0, indent: WIDTH });
}

function fit(
  text: string,
  { columns }: WhyLook,
  { used, indent }: { readonly used: number; readonly indent: number },
): readonly string[] {
  const [, margin = '', words = ''] = /^( *)(.*)$/s.exec(text) ?? [];
  const lines = wrapWords(words, { used: used + margin.length, indent, columns });
  return lines.map((line, index) => (index === 0 ? `${margin}${line}` : `${' '.repeat(indent)}${line}`));
}
