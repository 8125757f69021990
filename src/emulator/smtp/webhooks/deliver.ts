import type { WebhookDelivery } from '../forward/deliver.ts';
import { smtpReply, type DeliveryResult } from '../mail.ts';
import { parseMail } from '../receive/parse.ts';
import { webhookBody } from './body.ts';
import { callWebhook, type WebhookParts } from './call.ts';

/** Tries once to deliver a mail to a destination that is a URL. */
export async function deliverToWebhook(
  parts: WebhookParts,
  { url, mail, delivery, raw }: WebhookDelivery,
): Promise<DeliveryResult> {
  const parsed = await parseMail(raw);
  if (!parsed.ok) {
    return { kind: 'hard', ...smtpReply(554, `the message cannot be read: ${parsed.reason}`), server: null };
  }
  const { id, recipient } = delivery;
  const { sender, receivedAt } = mail;
  const body = await webhookBody({ email: parsed.email, raw, sender, recipient, receivedAt });
  return callWebhook(parts, { id, url, sender, recipient, body });
}
