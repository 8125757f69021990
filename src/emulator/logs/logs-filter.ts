import type { MailTransport } from '../account/model.ts';
import type { QueryReader } from '../http/query.ts';
import type { Switches } from '../account/switches.ts';
import { LOG_STATUSES, LOG_TRANSPORTS } from './logs-events.ts';
import type { LogTest, MailFilter } from './logs.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Reads the filters of list, count and search, combined with AND (v4: Email logs). Times are compared in whole seconds, as
 * v4 shows them, unless `logTimes` says otherwise.
 */
export function readLogFilter(
  query: QueryReader,
  people: 'exact' | 'substring',
  { logTimes }: Switches,
): MailFilter {
  const unit = logTimes === 'seconds' ? 1000 : 1;
  const after = query.parsed('after', parseTimestamp, 'must be an ISO 8601 timestamp');
  const before = query.parsed('before', parseTimestamp, 'must be an ISO 8601 timestamp');
  const transport = query.word('transport', LOG_TRANSPORTS);
  const statuses = query.parsed('status', parseStatuses, `must be a list of ${LOG_STATUSES.join(', ')}`);
  const persons = (['sender', 'recipient', 'forward'] as const).map((field) => {
    const wanted = query.text(field);
    return wanted === undefined ? undefined : personTest(field, wanted, people);
  });
  return {
    from: after === undefined ? -Infinity : (Math.floor(after / unit) + 1) * unit,
    until: before === undefined ? Infinity : Math.ceil(before / unit) * unit,
    tests: [...persons, statuses && statusTest(statuses), transport && transportTest(transport)].filter(
      (test) => test !== undefined,
    ),
  };
}

function parseStatuses(text: string): readonly string[] | undefined {
  const statuses = text.split(',').map((status) => status.trim());
  return statuses.every((status) => LOG_STATUSES.some((known) => known === status)) ? statuses : undefined;
}

/** Parses a timestamp to epoch milliseconds. */
function parseTimestamp(text: string): number | undefined {
  const time = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Returns a test for the log of one alias. */
export function aliasTest(name: string): LogTest {
  const alias = name.toLowerCase();
  return (entry) => entry.alias === alias;
}

export function personTest(
  field: 'sender' | 'recipient' | 'forward',
  address: string,
  match: 'exact' | 'substring',
): LogTest {
  const wanted = address.toLowerCase();
  return (entry) => {
    const email = entry[field]?.email.toLowerCase();
    return match === 'exact' ? email === wanted : (email?.includes(wanted) ?? false);
  };
}

/** Returns a test for entries that contain this text in a field that v3 searches. */
export function textTest(text: string): LogTest {
  const wanted = text.toLowerCase();
  return ({ subject, sender, recipient, forward }) =>
    [subject, sender.email, recipient.email, forward?.email ?? ''].some((field) =>
      field.toLowerCase().includes(wanted),
    );
}

export function transportTest(transport: MailTransport): LogTest {
  return (entry) => entry.transport === transport;
}

/** Returns a test for entries that had one of the statuses. */
export function statusTest(statuses: readonly string[]): LogTest {
  return ({ events }) => events.some(({ status }) => statuses.includes(status));
}
