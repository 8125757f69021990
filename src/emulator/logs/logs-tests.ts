import type { MailLog, MailTransport } from '../account/model.ts';

/** Whether an entry is meant. Case does not count in names and addresses (v4: Email logs). */
export type LogTest = (entry: MailLog) => boolean;

/** The log of one alias. */
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

/** Entries with this text in one of the fields that v3 searches. */
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

/** Entries that had one of the statuses. */
export function statusTest(statuses: readonly string[]): LogTest {
  return ({ events }) => events.some(({ status }) => statuses.includes(status));
}
