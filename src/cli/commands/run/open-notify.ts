import { randomUUID } from 'node:crypto';
import { isLoopback } from '../../../core/model/endpoints.ts';
import { isMailUrl, parseMailUrl, type MailTarget } from '../../../service/notify/mail-address.ts';
import {
  openNotifier,
  TEST_TEXT,
  testWebhook,
  type NotifyChannel,
} from '../../../service/notify/notifier.ts';
import type { WebhookFormat } from '../../../service/notify/notify-bodies.ts';
import type { ReportOptions } from '../../../service/reports.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { commandFailure, EXIT, usageError } from '../../exit.ts';
import { operatorSecret } from '../../input/references/references.ts';
import { openSharedState } from '../../input/state/open-states.ts';
import type { StateSettings } from '../../settings/resolve-settings.ts';
import type { RunSettings } from './run-options.ts';

type Logging = Pick<ReportOptions, 'log' | 'concealer'>;

/** The receiver of notifications. */
type NotifyTarget =
  | { readonly kind: 'mail'; readonly mail: MailTarget }
  | { readonly kind: 'webhook'; readonly url: string; readonly format: WebhookFormat };

/** Opens what sends notifications; null if no address is set. */
export async function openNotify(
  context: Context,
  state: StateSettings,
  run: RunSettings,
  logging: Logging,
): Promise<NotifyChannel | null> {
  const target = await readTarget(context, run, logging);
  if (target === null) return null;
  const { log, concealer } = logging;
  const conceal = (text: string): string => concealer.conceal(text);
  const { clock, signal } = context;
  const { pageUrl, notifyEveryMs: everyMs } = run;
  if (target.kind === 'webhook') {
    const onLost = (
      { account, event: about }: { readonly account: string; readonly event: string },
      why: string,
    ) => log.warn({ event: 'notification.lost', account, about }, why);
    return openNotifier({ ...target, pageUrl, clock, signal, fetch, conceal, onLost });
  }
  const { openMailNotifier } = await import('../../../service/notify/mail-notifier.ts');
  const { sendMail } = await import('../../../service/notify/mailer.ts');
  return openMailNotifier({
    everyMs,
    pageUrl,
    clock,
    state: await openSharedState(context, state),
    send: (mail) => sendMail(target.mail, mail),
    newId: randomUUID,
    conceal,
    onFault: (message) => log.warn({ event: 'notification.delayed' }, message),
  });
}

/** Sends one test message. */
export async function testNotify(
  context: Context,
  run: RunSettings,
  logging: Logging,
): Promise<CommandResult> {
  const target = await readTarget(context, run, logging);
  if (target === null)
    throw usageError('FWDSYNC_NOTIFY_URL is empty', 'set it to where notifications are sent');
  const fault = await sendTest(context, run, target);
  if (fault !== null)
    throw commandFailure(
      `the test message did not arrive: ${fault}`,
      'check the address in FWDSYNC_NOTIFY_URL, and the server that it names',
    );
  logging.log.info({ event: 'notification.tested' }, 'the test message was sent');
  return { exit: EXIT.done };
}

async function sendTest(
  { clock }: Context,
  { pageUrl }: RunSettings,
  target: NotifyTarget,
): Promise<string | null> {
  if (target.kind === 'webhook') return testWebhook({ ...target, pageUrl, clock, fetch });
  const { sendMail } = await import('../../../service/notify/mailer.ts');
  const text = `${[TEST_TEXT, ...(pageUrl === null ? [] : [`Page: ${pageUrl}/`])].join('\n\n')}\n`;
  const mail = { id: randomUUID(), at: clock.now(), subject: 'fwdsync: test', text };
  const sent = await sendMail(target.mail, mail);
  return sent.ok ? sent.value : sent.error;
}

/**
 * Reads the address from `FWDSYNC_NOTIFY_URL`, or from the file of `FWDSYNC_NOTIFY_URL_FILE`; null if neither is set. It is
 * a secret.
 */
async function readTarget(
  context: Context,
  { notifyFormat: format }: Pick<RunSettings, 'notifyFormat'>,
  { concealer }: Logging,
): Promise<NotifyTarget | null> {
  const url = (await operatorSecret(context, 'FWDSYNC_NOTIFY_URL'))?.trim();
  if (!url) return null;
  concealer.addSecret(url);
  if (format === 'mail') return { kind: 'mail', mail: mailTarget(url, concealer) };
  if (isMailUrl(url))
    throw usageError('FWDSYNC_NOTIFY_URL is the address of a mail server', 'add --notify-format mail');
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw usageError(
      'FWDSYNC_NOTIFY_URL is not a URL that a secret may be sent to',
      'use https, or http on loopback',
    );
  return { kind: 'webhook', url, format };
}

function mailTarget(url: string, concealer: Logging['concealer']): MailTarget {
  const parsed = parseMailUrl(url);
  if (!parsed.ok)
    throw usageError(
      `FWDSYNC_NOTIFY_URL does not fit --notify-format mail: ${parsed.error}`,
      'write smtps://user:password@host/?from=A&to=B,C; docs/operations.md has more',
    );
  const { login } = parsed.value;
  // The user's name may be a word that every line has.
  if (login !== null) concealer.addSecret(login.pass);
  return parsed.value;
}
