import { domainToUnicode } from 'node:url';
import { nameKey, quote, type NameFault, type NameKey } from '../../../model/names.ts';
import type { Result } from '../../../model/result.ts';
import type { TextNode } from '../../read/node.ts';
import type { ProblemLog } from '../../problems.ts';

/** A reader of the names of one section, which finds names that look alike to people or the service. */
export interface NameReader<Name extends string> {
  /** Reads a name and its key. Returns null if the name is invalid or taken, which is reported. */
  readonly read: (key: TextNode) => { readonly name: Name; readonly key: NameKey } | null;
}

export function createNameReader<Name extends string>(
  parse: (text: string) => Result<Name, NameFault>,
  log: ProblemLog,
): NameReader<Name> {
  const byKey = new Map<NameKey, TextNode>();
  const twins = createLookAlikes(byKey, log);
  return {
    read(node) {
      const parsed = parse(node.text);
      if (!parsed.ok) {
        log.report(parsed.error.code, node, parsed.error);
        return null;
      }
      const name = parsed.value;
      const key = nameKey(name);
      const first = byKey.get(key);
      if (first !== undefined) {
        reportSame(node, first, log);
        return null;
      }
      warnNonAscii(node, name, log);
      const found = twins.check(node, name);
      byKey.set(key, node);
      return found === 'distinct' ? { name, key } : null;
    },
  };
}

/**
 * Names by their appearance. ASCII names are only compared with names in other scripts: `named` has the names that
 * were read before, in lower case.
 */
export interface LookAlikes {
  readonly check: (node: TextNode, name: string) => 'distinct' | 'look-alike';
}

export function createLookAlikes(named: ReadonlyMap<string, TextNode>, log: ProblemLog): LookAlikes {
  const skeletons = new Map<string, TextNode>();
  return {
    check(node, name) {
      const plain = !/[^\x20-\x7e]/.test(name);
      const skeleton = plain ? name.toLowerCase() : skeletonOf(name);
      const twin = skeletons.get(skeleton) ?? (plain ? undefined : named.get(skeleton));
      if (!plain) skeletons.set(skeleton, node);
      if (twin === undefined) return 'distinct';
      log.report('look-alike', node, {
        message: `${quote(node.text)} looks like ${quote(twin.text)} but is another name`,
        hint: 'type it again in one script, or delete one of the two',
        related: twin,
      });
      return 'look-alike';
    },
  };
}

/** Returns a domain in ASCII form as people see it. */
export function visibleDomain(domain: string): string {
  return domain.includes('xn--') ? domainToUnicode(domain) : domain;
}

function reportSame(node: TextNode, first: TextNode, log: ProblemLog): void {
  const how = node.text.normalize('NFC') === first.text.normalize('NFC') ? 'Unicode form' : 'case';
  log.report('duplicate-name', node, {
    message: `${quote(node.text)} and ${quote(first.text)} differ only in ${how}, and count as one name`,
    hint: 'keep one of the two',
    related: first,
  });
}

function warnNonAscii(node: TextNode, name: string, log: ProblemLog): void {
  if (!/[^\x20-\x7e]/.test(name)) return;
  const changed = name === node.text ? '' : '; its Unicode form NFC is used';
  log.report('non-ascii-name', node, {
    message: `the name ${quote(node.text)} has letters other than ASCII${changed}`,
    hint: 'make sure that senders and the service can write it',
  });
}

/** Letters of other scripts that look like a Latin one (Unicode TR 39, the most common ones). */
const LATIN_TWINS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['a', 'аαɑ'],
    ['b', 'ЬƄ'],
    ['c', 'сϲⅽ'],
    ['d', 'ԁⅾ'],
    ['e', 'еҽ℮'],
    ['g', 'ɡց'],
    ['h', 'һհ'],
    ['i', 'іιıɩ'],
    ['j', 'јϳ'],
    ['k', 'кκ'],
    ['l', 'ӏⅼ'],
    ['m', 'мⅿ'],
    ['n', 'пո'],
    ['o', 'оοօσ'],
    ['p', 'рρ'],
    ['q', 'ԛգ'],
    ['r', 'гⲅ'],
    ['s', 'ѕꜱ'],
    ['t', 'тτ'],
    ['u', 'υսц'],
    ['v', 'ѵνⅴ'],
    ['w', 'ԝѡա'],
    ['x', 'хχⅹ'],
    ['y', 'уγү'],
    ['z', 'ᴢ'],
    ['-', '‐‑‒–—−'],
    ['.', '․'],
  ].flatMap(([latin = '', twins = '']) => Array.from(twins, (twin) => [twin, latin])),
);

/** Returns the appearance of a name: compatibility forms folded, look-alikes of other scripts as Latin letters. */
function skeletonOf(name: string): string {
  return Array.from(name.normalize('NFKC').toLowerCase(), (character) => LATIN_TWINS[character] ?? character)
    .join('')
    .normalize('NFC');
}
