import { escapeInvisible } from '../../../model/names.ts';
import { sourceOf, type SourceText } from '../../read/text.ts';
import { ruleDocumentOf } from '../check-domain.ts';
import type { Span } from '../forwards.ts';
import { REASON_WORDS } from '../reasons.ts';
import { shownText, textOfSpan } from '../shown-text.ts';
import type { ImportedAlias, ImportedDomain, ImportedRule, LeftOut } from '../translated.ts';
import { forwardText, scalar } from './scalar.ts';

/** Replaces the destinations of an entry by the name of a group, if there is one. */
export type WriteForward = (forward: readonly string[]) => readonly string[];

/** Returns the beginning of a manifest: comments, the version, and groups. */
export function manifestHead(
  comments: readonly string[],
  groups: ReadonlyMap<string, readonly string[]> = new Map(),
): string {
  const lines = [...comments.map(comment), 'version: 1'];
  if (groups.size > 0) lines.push('', 'destinations:');
  for (const [name, forward] of groups) lines.push(`  ${scalar(name)}: ${forwardText(forward)}`);
  return `${lines.join('\n')}\n`;
}

/** Returns the lines of a domain below `domains:`. Left-out parts become comments at their place. */
export function importedDomainText(
  domain: ImportedDomain,
  write: WriteForward = (forward) => forward,
): string {
  const { aliases, rules, leftOut } = domain;
  const head = `  ${scalar(domain.domain)}:`;
  const comments = leftOut.map((missing) => comment(leftOutLine(missing)));
  if (rules.length > 0) {
    const lines = rules.flatMap((rule) => ruleLines(rule, write));
    return joined([head, ...indented(comments, 4), '    rules:', ...lines]);
  }
  if (aliases.length === 0) return joined([head, ...indented(comments, 4), '    aliases: {}']);
  const lines = inPlace([
    ...leftOut.map(({ span }, index) => ({ span, line: comments[index] ?? '' })),
    ...aliases.map((alias) => ({ span: alias.span, line: aliasLine(alias, write) })),
  ]);
  return joined([head, '    aliases:', ...indented(lines, 6)]);
}

/** Sorts lines by their source: file by file. */
function inPlace(lines: readonly { readonly span: Span; readonly line: string }[]): readonly string[] {
  const files = new Map<SourceText, number>();
  for (const { span } of lines) if (!files.has(span.within)) files.set(span.within, files.size);
  const fileOf = ({ within }: Span): number => files.get(within) ?? 0;
  return lines
    .toSorted((a, b) => fileOf(a.span) - fileOf(b.span) || a.span.offset - b.span.offset)
    .map(({ line }) => line);
}

/** Describes a left-out part, for a comment. */
export function leftOutLine(missing: LeftOut): string {
  const { span, reason, fallsTo } = missing;
  const { file, line } = sourceOf(span);
  const falls = fallsTo === null ? '' : `; mail to it now goes to ${fallsTo.map(shownText).join(', ')}`;
  const text = textOfSpan(span);
  return `${leftOutSubject(missing)} is left out: ${REASON_WORDS[reason].message}${falls} (${shownText(file)}:${line}: ${text})`;
}

/** Names a left-out part, as the subject of a sentence. */
export function leftOutSubject({ address, isPart }: LeftOut): string {
  if (address === null) return 'this line';
  return isPart === true ? `a part of ${shownText(address)}` : shownText(address);
}

export function comment(text: string): string {
  return `# ${escapeInvisible(text)}`;
}

function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function indented(lines: readonly string[], by: number): readonly string[] {
  return lines.map((line) => `${' '.repeat(by)}${line}`);
}

function aliasLine({ name, forward }: ImportedAlias, write: WriteForward): string {
  return `${scalar(name)}: ${forwardText(write(forward))}`;
}

function ruleLines(rule: ImportedRule, write: WriteForward): readonly string[] {
  const { name = '', alias, regex, scopes } = ruleDocumentOf(rule);
  return [
    `      - name: ${scalar(name)}`,
    ...(alias === undefined ? [] : [`        alias: ${scalar(alias)}`]),
    ...(regex === undefined ? [] : [`        regex: ${scalar(regex)}`]),
    ...(scopes === undefined ? [] : [`        scopes: [${scopes.join(', ')}]`]),
    `        forward: ${forwardText(write(rule.forward))}`,
  ];
}
