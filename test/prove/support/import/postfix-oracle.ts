import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailServers } from './mail-servers.ts';

/** A table with its values, and a copy whose values are the line numbers. */
export interface OracleTable {
  readonly type: 'texthash' | 'regexp' | 'pcre';
  readonly lines: readonly TableLine[];
}

export interface TableLine {
  /** The key or pattern of a line. */
  readonly key: string;
  readonly value: string;
}

/** Final destinations of mail, by Postfix's own look-ups. */
export interface OracleEnds {
  /** Addresses outside the domains of the tables, in lower case because the case of captures does not matter. Empty if Postfix accepts no mail. */
  readonly to: readonly string[];
  /** Lines that were used on the way, as `TABLE:LINE`, both from 0. */
  readonly used: ReadonlySet<string>;
  /** True if a part of the mail ends in a mailbox of a source domain, or loops. */
  readonly isPartlyLost: boolean;
  /** True if no line matches the mail. */
  readonly isUnknown: boolean;
}

export interface PostfixSetting {
  readonly directory: string;
  readonly tables: readonly OracleTable[];
  readonly domains: ReadonlySet<string>;
  readonly localDomains: readonly string[];
  readonly delimiter: string;
}

interface Answer {
  readonly value: string;
  readonly line: string;
  /** True if the key has no label, and the address has one. */
  readonly isBare?: boolean;
}

/** Follows mail by the rules of virtual(5), with `postmap -q` for each look-up. */
export function postfixEnds(
  addresses: readonly string[],
  setting: PostfixSetting,
): ReadonlyMap<string, OracleEnds> {
  const postmap = openPostmap(setting);
  const answers = new Map<string, Answer | null>();
  for (let open = [...new Set(addresses)]; open.length > 0;) {
    for (const [address, answer] of lookUp(open, setting, postmap)) answers.set(address, answer);
    const next = open.flatMap((address) => targetsOf(address, answers.get(address) ?? null, setting));
    open = [...new Set(next)].filter((address) => !answers.has(address) && isInside(address, setting));
  }
  return new Map(addresses.map((address) => [address, follow(address, answers, setting)]));
}

/** Looks up keys in a table, without labels removed. */
type Postmap = (table: number, keys: ReadonlySet<string>) => ReadonlyMap<string, Answer>;

function openPostmap({ directory, tables }: PostfixSetting): Postmap {
  writeConfiguration(directory);
  for (const [index, { lines }] of tables.entries()) {
    writeOld(join(directory, `values-${index}`), lines.map(({ key, value }) => `${key} ${value}\n`).join(''));
    const numbers = lines.map(
      ({ key, value }, line) => `${key} ${/^(?:if|endif)$/.test(key) ? value : line}\n`,
    );
    writeOld(join(directory, `numbers-${index}`), numbers.join(''));
  }
  return (table, keys) => {
    const { type, lines } = tables[table] ?? { type: 'texthash', lines: [] };
    const numbers = query(directory, `${type}:${directory}/numbers-${table}`, keys);
    // Postfix fills in groups; all other values are those of the line.
    const filled = [...numbers].filter(([, line]) => lines[Number(line)]?.value.includes('$') === true);
    const values = query(
      directory,
      `${type}:${directory}/values-${table}`,
      new Set(filled.map(([key]) => key)),
    );
    return new Map(
      [...numbers].map(([key, line]) => {
        return [
          key,
          { value: values.get(key) ?? lines[Number(line)]?.value ?? '', line: `${table}:${line}` },
        ];
      }),
    );
  };
}

/** Looks up all keys with one `postmap -q`. */
function query(directory: string, map: string, keys: ReadonlySet<string>): ReadonlyMap<string, string> {
  if (keys.size === 0) return new Map();
  const { postmap, environment } = mailServers();
  const { status, stdout, stderr } = spawnSync(postmap, ['-c', directory, '-q', '-', map], {
    input: [...keys].map((key) => `${key}\n`).join(''),
    env: environment,
    encoding: 'utf8',
  });
  if ((status !== 0 && status !== 1) || /fatal|error/.test(stderr)) throw new Error(`postmap: ${stderr}`);
  const rows = stdout.split('\n').filter((row) => row !== '');
  return new Map(rows.map((row) => [row.slice(0, row.indexOf('\t')), row.slice(row.indexOf('\t') + 1)]));
}

/** Postfix waits a second before it reads a new file, so the file gets an older time. */
function writeOld(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, 0, 0);
}

/** Tells postmap where its parts are; it never starts a server. */
function writeConfiguration(directory: string): void {
  if (existsSync(join(directory, 'main.cf'))) return;
  const { root } = mailServers();
  mkdirSync(directory, { recursive: true });
  writeOld(
    join(directory, 'main.cf'),
    `compatibility_level = 3.6
mail_owner = mail
default_privs = nobody
setgid_group = games
myhostname = host.invalid
mydestination =
queue_directory = ${directory}
data_directory = ${directory}
meta_directory = ${directory}
daemon_directory = ${root}/usr/lib/postfix/sbin
shlib_directory = ${root}/usr/lib/postfix
`,
  );
  writeOld(
    join(directory, 'dynamicmaps.cf'),
    `pcre\t${root}/usr/lib/postfix/postfix-pcre.so\tdict_pcre_open\n`,
  );
}

/** Keys of an address in their order: virtual(5), TABLE SEARCH ORDER and ADDRESS EXTENSION. Pattern tables get only the whole address. */
function lookUp(
  addresses: readonly string[],
  setting: PostfixSetting,
  postmap: Postmap,
): ReadonlyMap<string, Answer | null> {
  const keys = new Map(addresses.map((address) => [address, keysOf(address, setting)]));
  const answers = setting.tables.map(({ type }, table) => {
    const asked = [...keys.values()].flatMap((all) => (type === 'texthash' ? all : all.slice(0, 1)));
    return postmap(table, new Set(asked));
  });
  const first = (all: readonly string[]): Answer | null => {
    const [local] = partsOf(all[0] ?? '');
    for (const [index, key] of all.entries()) {
      for (const [table, answer] of answers.entries()) {
        if (index > 0 && setting.tables[table]?.type !== 'texthash') continue;
        const found = answer.get(key);
        if (found !== undefined) return { ...found, isBare: !key.startsWith('@') && !key.startsWith(local) };
      }
    }
    return null;
  };
  return new Map([...keys].map(([address, all]) => [address, first(all)]));
}

function keysOf(address: string, { localDomains, delimiter }: PostfixSetting): readonly string[] {
  const [local, domain] = partsOf(address);
  const at = local.indexOf(delimiter);
  const isWhole = at < 1 || (delimiter === '-' && /^owner-|.-request$/i.test(local));
  const bare = isWhole ? [] : [local.slice(0, at)];
  const locals = localDomains.includes(domain) ? [local, ...bare] : [];
  return [address, ...bare.map((each) => `${each}@${domain}`), ...locals, `@${domain}`];
}

function partsOf(address: string): readonly [string, string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, at), address.slice(at + 1)];
}

function isInside(address: string, { domains }: PostfixSetting): boolean {
  return domains.has(partsOf(address)[1].toLowerCase());
}

/**
 * Returns the addresses of a result, which commas or white space separate. `@domain` as the first one keeps the local part. Labels
 * are not carried over.
 */
function targetsOf(address: string, answer: Answer | null, setting: PostfixSetting): readonly string[] {
  if (answer === null) return [];
  const { localDomains, delimiter } = setting;
  const [whole] = partsOf(address);
  const own = answer.isBare === true ? (whole.split(delimiter)[0] ?? '') : whole;
  return answer.value
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part, index) => {
      const [local, domain] = partsOf(part);
      if (!part.includes('@')) return `${part}@${localDomains[0] ?? 'host.invalid'}`;
      return `${index === 0 && local === '' ? own : local}@${domain.toLowerCase()}`;
    });
}

function follow(
  root: string,
  answers: ReadonlyMap<string, Answer | null>,
  setting: PostfixSetting,
): OracleEnds {
  const to = new Set<string>();
  const used = new Set<string>();
  let isPartlyLost = false;
  let isRound = false;
  const visit = (address: string, way: readonly string[]): void => {
    const answer = answers.get(address) ?? null;
    if (answer === null) {
      isPartlyLost = true;
      return;
    }
    used.add(answer.line);
    for (const target of targetsOf(address, answer, setting)) {
      const isSelf = target.toLowerCase() === address.toLowerCase();
      const isLocal = target.endsWith('@host.invalid');
      if (isSelf || isLocal) isPartlyLost = true;
      else if (!isInside(target, setting)) to.add(target);
      else if (way.includes(target.toLowerCase())) isRound = true;
      else visit(target, [...way, target.toLowerCase()]);
    }
  };
  const isUnknown = (answers.get(root) ?? null) === null;
  visit(root, [root.toLowerCase()]);
  return {
    to: isRound ? [] : [...to].map((each) => each.toLowerCase()).sort(),
    used,
    isPartlyLost: isPartlyLost || isRound,
    isUnknown,
  };
}
