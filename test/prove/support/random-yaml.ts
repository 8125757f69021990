import type { Chance } from './chance.ts';

/** A place of the old destination in a text. */
export const OLD_MARK = '\u0001';

export interface YamlOptions {
  /** Another destination that lists may also have; null means that lists have no other one and the old one only once. */
  readonly other: string | null;
  /** Quotes that may stand around the old destination. */
  readonly quotes: readonly string[];
  /** True if the old destination may be the only one at a place. */
  readonly alone: boolean;
}

interface Writer extends YamlOptions {
  readonly chance: Chance;
  /** Anchors of destinations and of lists, by value. */
  readonly anchors: { readonly name: string; readonly kind: 'old' | 'list' }[];
  count: number;
}

const OTHERS = [
  'ana@corp.example',
  'https://hooks.corp.example/in?a=1#x',
  'dan+x@else.example',
  'oncall',
  '{ env: BOSS }',
];

/** A manifest with destinations in every style of YAML. Marks show each place of the old destination. */
export function randomYaml(chance: Chance, options: YamlOptions): string {
  const writer: Writer = { ...options, chance, anchors: [], count: 0 };
  const documents = Array.from({ length: 1 + Number(chance.number(5) === 0) }, () => {
    writer.anchors.length = 0;
    return randomDocument(writer);
  });
  const text = documents.join('---\n');
  const breaks = chance.number(3) === 0 ? text.replaceAll('\n', '\r\n') : text;
  return `${chance.number(8) === 0 ? '\uFEFF' : ''}${breaks}`;
}

function randomDocument(writer: Writer): string {
  const { chance } = writer;
  const lines = [
    'version: 1',
    ...comment(writer, 0),
    'destinations:',
    ...entries(writer, 2, 3),
    'templates:',
    '  standard:',
    '    aliases:',
    ...entries(writer, 6, 2),
    'defaults:',
    `  notification_email: ${scalar(writer, 2, 'block')}`,
    'domains:',
    ...['acme', 'beta'].flatMap((name) => [
      `  ${name}${(writer.count += 1)}.example:`,
      ...(chance.number(2) === 0 ? [`    webhook: ${scalar(writer, 4, 'block')}`] : []),
      '    aliases:',
      ...entries(writer, 6, 4),
      '    rules:',
      ...Array.from({ length: 2 }, () => rule(writer)).flat(),
      '    expect:',
      ...expectation(writer),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function entries(writer: Writer, indent: number, most: number): readonly string[] {
  const { chance } = writer;
  const count = 1 + chance.number(most);
  return Array.from({ length: count }, () => {
    writer.count += 1;
    const key = chance.pick(['', '"', "'"]);
    const name = `${key}n${writer.count}${key}`;
    return [...comment(writer, indent), `${' '.repeat(indent)}${name}:${value(writer, indent)}`].join('\n');
  });
}

function rule(writer: Writer): readonly string[] {
  writer.count += 1;
  const name = `r${writer.count}`;
  if (writer.chance.number(2) === 0) {
    return [`      - { name: ${name}, alias: x, forward: ${flow(writer)} }${trailing(writer)}`];
  }
  return [`      - name: ${name}`, `        forward:${value(writer, 8)}`, '        alias: x'];
}

function expectation(writer: Writer): readonly string[] {
  const bound = writer.anchors.filter(({ kind }) => kind === 'old');
  // The old destination's text outside destinations stays.
  const from =
    bound.length > 0 && writer.other !== null && writer.chance.number(2) === 0
      ? `*${writer.chance.pick(bound).name}`
      : 'ben@corp.example';
  return [`      - { to: x@acme.example, from: ${from}, forward: ${flow(writer)} }`];
}

/** Values after a colon in block style. */
function value(writer: Writer, indent: number): string {
  const { chance } = writer;
  const inner = ' '.repeat(indent + 2);
  switch (chance.number(5)) {
    case 0: {
      const one = scalar(writer, indent, 'block');
      return ` ${one}${one.includes('\n') ? '' : trailing(writer)}`;
    }
    case 1:
      return ` ${flow(writer)}${trailing(writer)}`;
    case 2: {
      const items = several(writer).map((item, index) => {
        const comma = index > 0 && chance.number(4) === 0 ? ' ' : '';
        return `${inner}${item}${comma},${trailing(writer)}`;
      });
      const last = items.at(-1) ?? '';
      const end = chance.number(2) === 0 ? last : last.replace(/,([^,]*)$/, '$1');
      return ` [\n${[...items.slice(0, -1), end].join('\n')}\n${' '.repeat(indent + 1)}]${trailing(writer)}`;
    }
    default: {
      const anchor = anchorOf(writer, 'list');
      const items = several(writer, 'block').map((item) => {
        const dash =
          chance.number(6) === 0 ? `-\n${inner}  ` : chance.number(6) === 0 ? `- # why\n${inner}  ` : '- ';
        return [...comment(writer, indent + 2), `${inner}${dash}${item}${trailing(writer)}`].join('\n');
      });
      return `${anchor}${trailing(writer)}\n${items.join('\n')}`;
    }
  }
}

function flow(writer: Writer): string {
  const { chance, anchors } = writer;
  const lists = anchors.filter(({ kind }) => kind === 'list');
  if (lists.length > 0 && chance.number(5) === 0) return `*${chance.pick(lists).name}`;
  if (chance.number(3) === 0) return scalar(writer, 0, 'flow');
  const [space, comma] = [chance.pick(['', ' ']), chance.pick([', ', ',  ', ' , '])];
  return `[${space}${several(writer).join(comma)}${space}]`;
}

/** Items of a list with the old destination once, more than once or not at all. */
function several(writer: Writer, style: 'block' | 'flow' = 'flow'): readonly string[] {
  const { chance, other, alone } = writer;
  const olds = other === null ? chance.number(2) : ([0, 1, 1, 1, 2][chance.number(5)] ?? 1);
  const others = OTHERS.filter(() => chance.number(4) === 0);
  const kinds = [
    ...Array.from({ length: olds }, () => null),
    ...(other !== null && chance.number(4) === 0 ? [other] : []),
    ...(others.length === 0 && !alone ? OTHERS.slice(0, 1) : others),
  ];
  if (kinds.length === 0) return ['eva@corp.example'];
  // Keeps their order, because an anchor must come before its references.
  return kinds.toSorted(() => chance.number(3) - 1).map((kind) => kind ?? scalar(writer, 0, style, 'list'));
}

/** Usually the old destination, in one of the styles of YAML. */
function scalar(
  writer: Writer,
  indent: number,
  style: 'block' | 'flow',
  within: 'list' | 'alone' = 'alone',
): string {
  const { chance, anchors, quotes } = writer;
  if (within === 'alone' && (!writer.alone || chance.number(3) === 0)) return chance.pick(OTHERS);
  const bound = anchors.filter(({ kind }) => kind === 'old');
  if (bound.length > 0 && chance.number(6) === 0) return `*${chance.pick(bound).name} `.trim();
  if (style === 'block' && within === 'alone' && chance.number(6) === 0) {
    return `${chance.pick(['>-', '|-'])}\n${' '.repeat(indent + 2)}${OLD_MARK}`;
  }
  const quote = chance.pick(quotes);
  return `${anchorOf(writer, 'old')} ${quote}${OLD_MARK}${quote}`.trimStart();
}

function anchorOf({ anchors, chance }: Writer, kind: 'old' | 'list'): string {
  if (chance.number(6) > 0) return '';
  const name = `${kind}${anchors.length}`;
  anchors.push({ name, kind });
  return ` &${name}`;
}

function comment({ chance }: Writer, indent: number): readonly string[] {
  return chance.number(5) === 0 ? [`${' '.repeat(indent)}# mail of ben@corp.example, [a, b] - { c }`] : [];
}

function trailing({ chance }: Writer): string {
  return chance.number(5) === 0 ? '   # and - why, ben@corp.example' : '';
}
