import type { MailLog } from '../../account/model.ts';
import type { DomainRecord } from '../../account/state.ts';
import { renderV3Log } from '../../v3/v3-logs.ts';
import { callWebhook, type WebhookParts } from './call.ts';

/** Attempts per call in all, as for webhooks that are destinations. */
const TRIES = 3;
const PAUSE = 1000;

/**
 * Reports each event of a mail once to the domain's `webhook` (v3: Domain), with the log entry in v3's form. No document
 * says what is posted.
 */
export async function postEvent(parts: WebhookParts, domain: DomainRecord, log: MailLog): Promise<void> {
  const { webhook } = domain.fields;
  const position = log.events.length - 1;
  if (webhook === null || position < 0) return;
  const entry = renderV3Log(log);
  const events = entry['events'] as readonly object[];
  const body = { domain: domain.name, event: events[position], log: entry };
  const id = `${log.id}-event-${position}`;
  const call = { id, url: webhook, sender: '', recipient: log.recipient.email, body };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { kind } = await callWebhook(parts, call);
    if (kind === 'delivered') return;
    if (attempt < TRIES) await parts.sleep(PAUSE);
  }
}
