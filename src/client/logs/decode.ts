import { arrayField, idField, objectOf, stringField, timeOf, type Json } from '../../core/fields/json.ts';
import type { LogAddress, LogEntry, LogEvent } from './logs.ts';

/** Decodes a log entry (v4: Email log entry; v3: Log entry). */
export function decodeLogEntry(value: unknown): LogEntry {
  const json = objectOf(value, 'log');
  return {
    id: idField(json),
    createdAt: timeOf(json['created_at'] ?? json['created_raw'] ?? json['created']),
    sender: decodeAddress(json['sender']),
    recipient: decodeAddress(json['recipient']),
    forward: decodeAddress(json['forward']),
    subject: text(json, 'subject'),
    transport: text(json, 'transport'),
    messageId: text(json, 'message_id') ?? text(json, 'messageId'),
    hostname: text(json, 'hostname'),
    events: json['events'] === undefined ? [] : arrayField(json, 'events').map(decodeEvent),
  };
}

function decodeEvent(value: unknown): LogEvent {
  const json = objectOf(value, 'an entry of events');
  const { code } = json;
  return {
    status: stringField(json, 'status'),
    createdAt: timeOf(json['created_at'] ?? json['created']),
    code: typeof code === 'number' ? code : null,
    message: text(json, 'message'),
    local: text(json, 'local'),
    server: text(json, 'server'),
  };
}

function decodeAddress(value: unknown): LogAddress | null {
  if (value === null || value === undefined) return null;
  const json = typeof value === 'string' ? { email: value } : objectOf(value, 'an address');
  return { email: text(json, 'email') ?? '', name: text(json, 'name') };
}

/** Maximum number of characters, the same as for other texts of the service that are shown. */
const LONGEST = 20_000;

/** Returns a text that is only for people. It is left out if it is missing, has another type or is too long to redact. */
function text(json: Json, name: string): string | null {
  const value = json[name];
  if (typeof value !== 'string') return null;
  return value.length > LONGEST ? `(${value.length} characters)` : value;
}
