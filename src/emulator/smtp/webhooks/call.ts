import { Buffer } from 'node:buffer';
import type { DeliveryResult } from '../mail.ts';
import { smtpReply } from '../mail.ts';
import type { Mailboxes } from '../mailboxes/mailboxes.ts';

export interface WebhookParts {
  /** Origins that may be called, `http://127.0.0.1:PORT`. */
  readonly origins: ReadonlySet<string>;
  readonly mailboxes: Mailboxes;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface WebhookCall {
  /** Id of the message in the mailbox if the webhook is not called. */
  readonly id: string;
  readonly url: string;
  readonly sender: string;
  readonly recipient: string;
  readonly body: object;
}

const TIMEOUT = 30_000;

/**
 * Posts JSON to a URL of an allowed origin. A call to any other origin is kept in a mailbox named after the URL and counts
 * as delivered.
 */
export async function callWebhook(parts: WebhookParts, call: WebhookCall): Promise<DeliveryResult> {
  const text = JSON.stringify(call.body);
  return parts.origins.has(originOf(call.url)) ? post(parts, call.url, text) : keep(parts, call, text);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/**
 * Posts a body. Any 2xx counts as delivered (field notes). Redirects are not followed, because they could lead to another
 * host.
 */
async function post({ sleep }: WebhookParts, url: string, body: string): Promise<DeliveryResult> {
  const server = new URL(url).host;
  const over = new AbortController();
  const timer = new AbortController();
  const timeout = sleep(TIMEOUT, timer.signal).then(() => over.abort());
  try {
    const { status, ok, statusText } = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      redirect: 'manual',
      signal: over.signal,
    });
    const message = `${status} ${statusText}`.trim();
    return ok
      ? { kind: 'delivered', ...smtpReply(250, message), server }
      : { kind: 'soft', ...smtpReply(451, `the webhook answered ${message}`), server };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return { kind: 'soft', ...smtpReply(421, `the webhook cannot be reached: ${reason}`), server };
  } finally {
    timer.abort();
    await timeout;
  }
}

async function keep(
  { mailboxes, now }: WebhookParts,
  { id, url, sender, recipient }: WebhookCall,
  text: string,
): Promise<DeliveryResult> {
  const mail = {
    id,
    address: url,
    arrivedAt: now(),
    sender,
    recipient,
    type: 'json' as const,
  };
  const reply = smtpReply(250, 'Ok: recorded and not called, its origin is not one of --webhook');
  return (await mailboxes.store(mail, Buffer.from(text)))
    ? { kind: 'delivered', ...reply, server: null }
    : { kind: 'soft', ...smtpReply(452, 'the mailboxes are full'), server: null };
}
