import type { LogAddress, LogEntry, LogEvent } from '../../../client/logs/logs.ts';
import { escapeInvisible, escapeJson } from '../../../core/model/names.ts';

/** Returns a text as it may be shown, with references and masks applied. */
export type ShowText = (text: string) => string;

/** Returns one line of JSON, with times in ISO 8601. */
export function logJson(entry: LogEntry, show: ShowText): string {
  const showStrings = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? show(value) : value;
  const events = entry.events.map((event) => ({ ...event, createdAt: isoTime(event.createdAt) }));
  const json = JSON.stringify(
    { ...entry, subject: entry.subject ?? '', createdAt: isoTime(entry.createdAt), events },
    showStrings,
  );
  return `${escapeJson(json)}\n`;
}

/** Returns one line: `time  sender -> recipient -> destination  QUEUED > DELIVERED  "subject"  id`. */
export function logLine(entry: LogEntry, show: ShowText): string {
  const { createdAt, events, id } = entry;
  const chain = events.length === 0 ? 'no event' : events.map(eventWords).join(' > ');
  const parts = [isoTime(createdAt) ?? 'no time', pathOf(entry), chain, subjectText(entry), id];
  return `${safe(parts.join('  '), show)}\n`;
}

/** Returns an entry with its timeline, one line per event. */
export function logDetails(entry: LogEntry, show: ShowText): string {
  const { hostname, transport, messageId, events } = entry;
  const facts = [
    ['transport', transport],
    ['message id', messageId],
    ['received by', hostname],
  ] as const;
  const lines = [
    `${isoTime(entry.createdAt) ?? 'no time'}  ${pathOf(entry)}  ${subjectText(entry)}  ${entry.id}`,
    ...facts.filter(([, value]) => value !== null).map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    ...events.map((event) => `  ${isoTime(event.createdAt) ?? 'no time'}  ${fullEvent(event)}`),
  ];
  return lines.map((line) => `${safe(line, show)}\n`).join('');
}

function subjectText({ subject }: LogEntry): string {
  return JSON.stringify(subject ?? '');
}

function pathOf({ sender, recipient, forward }: LogEntry): string {
  const path = [address(sender) ?? '<>', address(recipient) ?? '<>', address(forward)];
  return path.filter((part) => part !== null).join(' -> ');
}

function address(of: LogAddress | null): string | null {
  return of === null || of.email === '' ? null : of.email;
}

/** Describes an event. A successful one needs only its status. */
function eventWords({ status, code, message }: LogEvent): string {
  if (status === 'QUEUED' || status === 'DELIVERED') return status;
  return [status, code, message].filter((part) => part !== null && part !== '').join(' ');
}

function fullEvent({ status, code, message, local, server }: LogEvent): string {
  const hosts = [local, server].filter((host) => host !== null).join(' -> ');
  return [status, code, message, hosts === '' ? null : `(${hosts})`]
    .filter((part) => part !== null)
    .join(' ');
}

function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/** Makes text safe to print: on one line, with nothing hidden. Strangers write senders and subjects. */
function safe(text: string, show: ShowText): string {
  return escapeInvisible(show(text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space))));
}
