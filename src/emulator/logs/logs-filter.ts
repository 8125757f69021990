import { queryText, readWord } from '../http/input.ts';
import { LOG_STATUSES, LOG_TRANSPORTS } from './logs-events.ts';
import { personTest, statusTest, transportTest, type LogTest } from './logs-tests.ts';
import type { MailFilter } from './logs.ts';
import type { FieldMessages } from '../account/model.ts';
import type { RequestContext } from '../http/routes.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * The filters of list, count and search (v4: Email logs), combined with AND. What does not read is noted in `errors`.
 * Unless `logTimes` says otherwise, times are compared as answers of v4 show them: in whole seconds.
 */
export function readLogFilter(
  { query, state }: RequestContext,
  people: 'exact' | 'substring',
  errors: FieldMessages,
): MailFilter {
  const unit = state.switches.logTimes === 'seconds' ? 1000 : 1;
  const after = readTimestamp(query, 'after', errors);
  const before = readTimestamp(query, 'before', errors);
  const transport = readWord(query, 'transport', LOG_TRANSPORTS, errors);
  const tests = [
    ...(['sender', 'recipient', 'forward'] as const).map((field) => readPerson(query, field, people)),
    readStatuses(query, errors),
    transport && transportTest(transport),
  ].filter((test) => test !== undefined);
  return {
    from: after === undefined ? -Infinity : (Math.floor(after / unit) + 1) * unit,
    until: before === undefined ? Infinity : Math.ceil(before / unit) * unit,
    tests,
  };
}

function readPerson(
  query: URLSearchParams,
  field: 'sender' | 'recipient' | 'forward',
  match: 'exact' | 'substring',
): LogTest | undefined {
  const wanted = queryText(query, field);
  return wanted === undefined ? undefined : personTest(field, wanted, match);
}

function readStatuses(query: URLSearchParams, errors: FieldMessages): LogTest | undefined {
  const statuses = queryText(query, 'status')
    ?.split(',')
    .map((status) => status.trim());
  if (statuses?.some((status) => !LOG_STATUSES.some((known) => known === status))) {
    errors['status'] = [`The status must be a list of ${LOG_STATUSES.join(', ')}.`];
  }
  return statuses && statusTest(statuses);
}

/** Epoch milliseconds. */
function readTimestamp(
  query: URLSearchParams,
  name: 'after' | 'before',
  errors: FieldMessages,
): number | undefined {
  const text = queryText(query, name);
  if (text === undefined) return undefined;
  const time = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  errors[name] = [`The ${name} must be an ISO 8601 timestamp.`];
  return undefined;
}
