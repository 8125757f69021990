import type { Dump, DumpedDomain } from '../../../src/emulator/account/dump.ts';
import type { JournalEntry } from '../../../src/emulator/http/journal.ts';
import type { CommandResult } from './cli.ts';

/** Text of a terminal: the command line, both outputs, and the exit code. */
export function renderSession({ args, stdout, stderr, exitCode }: CommandResult): string {
  // Domains run in parallel, so lines of progress differ and are not stored.
  const steady = stderr.replace(/^(reading|writing|verifying): \d+%.*\n/gm, '');
  // Nor is the number of reads that had begun when too many items had failed.
  const printed = stdout.includes('more than --max-failures')
    ? stdout.replace(/ \d+ requests in /, ' REQUESTS in ')
    : stdout;
  const errors = steady === '' ? '' : `--- standard error\n${endLine(steady)}`;
  return `$ fwdsync ${args.map(quoteForShell).join(' ')}\n${endLine(printed)}${errors}--- exit ${exitCode}\n`;
}

/**
 * Renders the writes, one per line, by domain. The writes of a domain are in their real order; domains run in parallel.
 */
export function renderRequests(entries: readonly JournalEntry[]): string {
  const writes = entries.filter(({ method }) => method !== 'GET');
  const byDomain = Map.groupBy(writes, domainOf);
  const domains = [...byDomain.keys()].sort();
  return domains.map((domain) => (byDomain.get(domain) ?? []).map(renderRequest).join('')).join('');
}

/** Renders the account as JSON, one item per line, with only the fields that a manifest can set. */
export function renderAccount({ domains }: Dump): string {
  return `[${domains.map(renderDomain).join(',')}\n]\n`;
}

function renderRequest({ method, path, body, status }: JournalEntry): string {
  const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
  return `${method} ${path}${sent} -> ${status ?? 'no answer'}\n`;
}

/** `POST /domains` belongs to the domain that it adds. */
function domainOf({ path, body }: JournalEntry): string {
  const named = /^\/domains\/([^/?]+)/.exec(path)?.[1];
  if (named !== undefined) return named;
  return typeof body === 'object' && body !== null && 'domain' in body ? String(body.domain) : '';
}

function renderDomain(domain: DumpedDomain): string {
  const { notification_email, whitelabel, webhook, aliases, rules, credentials } = domain;
  const settings = { domain: domain.domain, notification_email, whitelabel, webhook };
  const sections = Object.entries({ aliases, rules, credentials })
    .filter(([, items]) => items.length > 0)
    .map(
      ([name, items]) =>
        `,\n    "${name}": [${items.map((item) => `\n      ${JSON.stringify(item)}`).join(',')}]`,
    );
  return `\n  { ${JSON.stringify(settings).slice(1, -1)}${sections.join('')} }`;
}

function quoteForShell(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
