import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { ParsedSource, Target } from '../forwards.ts';
import { collectEntries, hasPlainCase, type SourceContext, type SourceFault } from '../source-format.ts';
import { addressTarget, bareAddress, splitList } from '../read/addresses.ts';
import { logicalLines, POSTFIX_LINES, type LogicalLine } from '../read/logical-lines.ts';

/** Parses aliases(5) of Postfix and sendmail: a local name, a colon, and a list. */
export function parseAliases(within: SourceText, context: SourceContext): Result<ParsedSource, SourceFault> {
  const [local = null] = context.localDomains;
  if (local === null) return fail(NO_DOMAIN);
  const found = collectEntries();
  for (const { span, text } of logicalLines(within, POSTFIX_LINES)) {
    const [name, list] = splitName(text);
    const isWhole = name !== '' && list !== '' && !name.includes('@');
    if (!isWhole) found.leaveOut(span, null, 'syntax');
    else if (/^owner-/i.test(name)) found.leaveOut(span, `${name}@${local}`, 'owner');
    else if (!hasPlainCase(name)) found.leaveOut(span, `${name}@${local}`, 'name');
    else found.add(name.toLowerCase(), { span, targets: listTargets(list, { ...context, local }) });
  }
  return succeed({
    lookups: [{ kind: 'names', entries: found.entries }],
    leftOut: found.leftOut,
    domains: [],
  });
}

const NO_DOMAIN: SourceFault = {
  kind: 'usage',
  span: null,
  message: 'the names of an aliases file have no domain',
  hint: 'give their domains with --for, such as --for acme.example',
};

/** Returns the name without quotes, and the list; empty if the line has another form. */
function splitName(line: LogicalLine['text']): readonly [string, string] {
  const [, quoted, plain = '', list = ''] = /^(?:"((?:\\.|[^"\\])*)"|([^\s:"]+))\s*:(.*)$/s.exec(line) ?? [];
  return [quoted ?? plain, list.trim()];
}

interface ListContext extends Pick<SourceContext, 'include'> {
  readonly local: string;
}

function listTargets(list: string, context: ListContext): readonly Target[] {
  return splitList(list).flatMap((item) => itemTargets(item, context));
}

function itemTargets(item: string, context: ListContext): readonly Target[] {
  const text = /^"((?:\\.|[^"\\])*)"$/s.exec(item)?.[1] ?? item;
  if (text.startsWith('|')) return [{ kind: 'lost', reason: 'program' }];
  if (text === '/dev/null') return [{ kind: 'discard' }];
  if (text.startsWith('/')) return [{ kind: 'lost', reason: 'file' }];
  const [, included] = /^:include:\s*(\S.*)$/i.exec(text) ?? [];
  if (included !== undefined) return includedTargets(included, context);
  const bare = bareAddress(text);
  if (bare.includes('"')) return [addressTarget(bare, context.local)];
  return bare.split(/\s+/).map((word) => addressTarget(word, context.local));
}

/** Reads the members of a list in another file. That file may not include others. */
function includedTargets(path: string, { include, local }: ListContext): readonly Target[] {
  const text = include(path.split('/').at(-1) ?? '');
  if (text === null) return [{ kind: 'lost', reason: 'include' }];
  const lines = [...logicalLines(text, POSTFIX_LINES)].map((line) => line.text);
  return lines.flatMap((line) => listTargets(line, { include: () => null, local }));
}
