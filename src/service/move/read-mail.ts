import { errorText } from '../../client/errors.ts';
import type { LogEntry } from '../../client/logs/logs.ts';
import type { DomainName } from '../../core/model/names.ts';
import { fail, succeed } from '../../core/model/result.ts';
import type { MailFacts, Read, RecipientFacts } from '../../core/move/observation.ts';
import { courseOf, isForwarded } from '../delivery/fates.ts';
import { readLogPage } from '../delivery/log-pages.ts';
import { errorOf } from '../delivery/tally.ts';
import type { MovePorts } from './ports.ts';

export interface MailQuery {
  readonly domain: DomainName;
  /** Epoch milliseconds. */
  readonly since: number;
  /** True if the manifest has no route for an address. */
  readonly isUnrouted: (address: string) => boolean;
}

const MOST_PAGES = 50;

/** Reads what became of the messages to a domain, by recipient. */
export async function readMail(
  { domain, since, isUnrouted }: MailQuery,
  { client, show }: Pick<MovePorts, 'client' | 'show'>,
): Promise<Read<MailFacts>> {
  const entries: LogEntry[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await readLogPage({ client, domain, since, cursor });
    if (!page.ok) return fail(show.text(errorText(page.error)));
    entries.push(...page.value.entries.filter(isForwarded));
    cursor = page.value.next;
    pages += 1;
  } while (cursor !== null && pages < MOST_PAGES);
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  const byRecipient = Map.groupBy(unique, ({ recipient }) => recipient?.email.toLowerCase() ?? '');
  byRecipient.delete('');
  return succeed({
    messages: new Set(unique.map(({ id, messageId }) => messageId ?? id)).size,
    isComplete: cursor === null,
    recipients: [...byRecipient].map(([address, own]) => ({
      ...recipientFacts(own, show.text),
      address,
      shown: show.text(address),
      isUnrouted: isUnrouted(address),
    })),
  });
}

/** The entries are those of one recipient, the newest first. */
function recipientFacts(
  entries: readonly LogEntry[],
  text: MovePorts['show']['text'],
): Pick<RecipientFacts, 'arrived' | 'refused' | 'bounced' | 'error'> {
  const courses = entries.map(courseOf);
  const count = (...fates: readonly (string | null)[]): number =>
    courses.filter(({ fate }) => fates.includes(fate)).length;
  const failed = courses.find(({ fate }) => fate === 'refused' || fate === 'hard' || fate === 'soft');
  const { code, message } = failed === undefined ? { code: null, message: null } : errorOf(failed);
  const error = [code === null ? '' : String(code), message ?? ''].filter((part) => part !== '').join(' ');
  return {
    arrived: count('delivered', null),
    refused: count('refused'),
    bounced: count('hard', 'soft'),
    error: error === '' ? null : text(error),
  };
}
