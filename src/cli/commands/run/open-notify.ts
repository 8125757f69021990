import { isLoopback } from '../../../core/model/endpoints.ts';
import { openNotifier } from '../../../service/notify/notifier.ts';
import type { ReportOptions } from '../../../service/reports.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { operatorSecret } from '../../input/references/references.ts';
import type { RunSettings } from './run-options.ts';

/**
 * Opens the webhook from `FWDSYNC_NOTIFY_URL`, or from the file of `FWDSYNC_NOTIFY_URL_FILE`; null if neither is set.
 */
export async function openNotify(
  context: Context,
  { notifyFormat: format, pageUrl }: RunSettings,
  { log, concealer }: Pick<ReportOptions, 'log' | 'concealer'>,
): Promise<ReportOptions['notify']> {
  const url = (await operatorSecret(context, 'FWDSYNC_NOTIFY_URL'))?.trim();
  if (!url) return null;
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw usageError(
      'FWDSYNC_NOTIFY_URL is not a URL that a secret may be sent to',
      'use https, or http on loopback',
    );
  concealer.addSecret(url);
  const { clock, signal } = context;
  return openNotifier({
    url,
    format,
    pageUrl,
    clock,
    signal,
    fetch,
    conceal: (text) => concealer.conceal(text),
    onLost({ account, event: about }, message) {
      log.warn({ event: 'notification.lost', account, about }, message);
    },
  });
}
