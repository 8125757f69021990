import type { Dump, DumpedRule } from '../../../src/emulator/account/dump.ts';
import type { MailTexts } from '../../../src/emulator/delivery/delivery-expressions.ts';
import type { Desired } from '../../../src/core/model/desired.ts';
import type { RuleMatch } from '../../../src/core/model/resources.ts';

/** A mail whose route is checked after every request. */
export interface Probe extends MailTexts {
  readonly domain: string;
}

/** Maximum number of names per domain. More names show nothing new. */
const MOST_NAMES = 24;
const MOST_TEXTS = 5;

/** Mails that together match every live and wanted alias and rule, and some that match none. */
export function probesOf(start: Dump, desired: Desired): readonly Probe[] {
  const live = new Map(start.domains.map((domain) => [domain.domain, domain]));
  const names = new Set([...live.keys(), ...desired.domains.keys()]);
  return [...names].flatMap((domain) => {
    const wanted = [...desired.domains].find(([name]) => name === domain)?.[1];
    const present = wanted?.state === 'present' ? wanted : undefined;
    const aliases = [
      ...(live.get(domain)?.aliases ?? []).map(({ alias }) => alias),
      ...(present?.aliases?.entries.values() ?? []).map(({ name }) => name),
    ];
    const matches = [
      ...(live.get(domain)?.rules ?? []).map(matchOf),
      ...(present?.rules?.entries ?? []).flatMap((rule) => (rule.state === 'present' ? [rule.match] : [])),
    ];
    return mailsTo(domain, aliases, matches);
  });
}

function mailsTo(
  domain: string,
  aliases: readonly string[],
  matches: readonly RuleMatch[],
): readonly Probe[] {
  const written = [...aliases, ...matches.flatMap((match) => (match.type === 'alias' ? [match.alias] : []))];
  const locals = spread([...new Set(['nobody', ...written.flatMap(wordsOf)])], MOST_NAMES);
  const texts = spread([...new Set(matches.flatMap(textsOf))], MOST_TEXTS);
  const plain = { domain, sender: 'x@elsewhere.example', subject: '', body: '' };
  return locals.flatMap((local) => {
    const mail = { ...plain, recipient: `${local}@${domain}` };
    const others = texts.flatMap((text) =>
      text.includes('@')
        ? [{ ...mail, sender: `x${text}` }]
        : [
            { ...mail, subject: text },
            { ...mail, body: text },
          ],
    );
    return [mail, ...others];
  });
}

/** Names that an alias or a pattern may match. */
function wordsOf(name: string): readonly string[] {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu) ?? [];
  return words.flatMap((word) => [word, `${word}+label`]).concat(words.length > 1 ? [words.join('.')] : []);
}

/** Texts that match a condition: the quoted texts of an expression, the literal part of a pattern. */
function textsOf(match: RuleMatch): readonly string[] {
  if (match.type === 'alias') return [];
  if (match.type === 'cel') return [...match.expression.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text);
  return match.regex.match(/[\p{L}\p{N}@ ]{2,}/gu) ?? [];
}

function spread<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, items.length / most);
  return Array.from(
    { length: Math.min(most, items.length) },
    (_, index) => items[Math.floor(index * step)] as T,
  );
}

export function matchOf({ type, config }: DumpedRule): RuleMatch {
  return { type, ...config } as unknown as RuleMatch;
}
