import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailServers } from './mail-servers.ts';

/** Final destinations of mail, by `exim -bt`. */
export interface EximEnds {
  /** External addresses, in lower case. */
  readonly to: readonly string[];
  /** True if a part of the mail goes to a mailbox, a file or a program, or stays in the queue. */
  readonly isPartlyLost: boolean;
  readonly isDiscarded: boolean;
  /** True if a part of the mail comes back to the sender. */
  readonly isRefused: boolean;
}

/** An alias file: for one domain, as in cPanel, or for names without a domain. */
export interface EximFile {
  readonly domains: readonly string[];
  readonly keys: 'addresses' | 'names';
  readonly text: string;
}

/** Asks Exim, with its own configuration, where mail to addresses goes. It delivers nothing. */
export function eximEnds(
  addresses: readonly string[],
  { directory, files }: { readonly directory: string; readonly files: readonly EximFile[] },
): ReadonlyMap<string, EximEnds> {
  const { exim } = mailServers();
  mkdirSync(directory, { recursive: true });
  const configuration = join(directory, 'exim.conf');
  for (const [index, { text }] of files.entries()) writeFileSync(join(directory, `aliases-${index}`), text);
  writeFileSync(configuration, configurationOf(directory, files));
  const ended = new Map<string, EximEnds>();
  for (const address of new Set(addresses)) {
    const { stdout } = spawnSync(exim, ['-C', configuration, '-bt', address], { encoding: 'utf8' });
    ended.set(address, parseEnds(stdout, address));
  }
  return ended;
}

/** A server that removes labels, and looks up `*` last. */
function configurationOf(directory: string, files: readonly EximFile[]): string {
  const sources = files.flatMap(({ domains }) => domains).join(' : ');
  const routers = files.map(({ domains, keys }, index) => {
    const key = keys === 'addresses' ? '$local_part@$domain' : '$local_part';
    const labelled =
      keys === 'addresses' ? '$local_part$local_part_suffix@$domain' : '$local_part$local_part_suffix';
    const file = join(directory, `aliases-${index}`);
    const find = (asked: string, rest: string): string => `\${lookup{${asked}}lsearch{${file}}${rest}}`;
    const redirect = (name: string, lines: string): string => `
${name}${index}:
  driver = redirect
  domains = ${domains.join(' : ')}
  allow_fail
  allow_defer
  pipe_transport = nothing
  file_transport = nothing
${lines}`;
    return [
      redirect('names', `  data = ${find(key, '')}`),
      redirect('labels', `  local_part_suffix = +*\n  data = ${find(key, '')}`),
      redirect(
        'rest',
        `  local_part_suffix = +*
  local_part_suffix_optional
  condition = ${find(labelled, `{no}{${find(key, '{no}{yes}')}}`)}
  data = ${find('*', '')}`,
      ),
    ].join('');
  });
  return `exim_path = ${mailServers().exim}
spool_directory = ${directory}/spool
log_file_path = ${directory}/%slog
primary_hostname = host.invalid
qualify_domain = ${files.find(({ keys }) => keys === 'names')?.domains[0] ?? 'host.invalid'}
keep_environment =
domainlist sources = ${sources}
begin routers
outside:
  driver = accept
  domains = ! +sources : ! host.invalid
  transport = outside
${routers.join('')}
mailbox:
  driver = accept
  transport = nothing
begin transports
outside:
  driver = appendfile
  file = /dev/null
nothing:
  driver = appendfile
  file = /dev/null
`;
}

/** Blocks of an address test: the address, its origin, and the router that accepted it. */
function parseEnds(output: string, address: string): EximEnds {
  const to = new Set<string>();
  let isPartlyLost = false;
  let isDiscarded = false;
  let isRefused = false;
  let current = '';
  for (const line of output.split('\n')) {
    if (/^mail to .* is discarded$/.test(line) || line.endsWith('-> /dev/null')) isDiscarded = true;
    else if (/ is undeliverable/.test(line)) isRefused = true;
    else if (/ cannot be resolved at this time/.test(line) || / -> /.test(line)) isPartlyLost = true;
    else if (/^\S/.test(line)) current = line.replace(/\s+\[duplicate.*$/, '').trim();
    else if (/^ +router = outside/.test(line)) to.add(current.toLowerCase());
    else if (/^ +router = mailbox/.test(line)) isPartlyLost = true;
  }
  if (output.trim() === '') throw new Error(`exim says nothing of ${address}`);
  return { to: [...to].sort(), isPartlyLost, isDiscarded, isRefused };
}
