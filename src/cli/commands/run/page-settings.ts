import { isLoopback } from '../../../core/model/endpoints.ts';
import type { Concealer } from '../../../service/conceal/concealer.ts';
import type { ServiceLog } from '../../../service/log/service-log.ts';
import type { ReportOptions } from '../../../service/reports.ts';
import type { Context } from '../../context.ts';
import { operatorSecret } from '../../input/references/references.ts';
import type { RunSettings } from './run-options.ts';

/** A short token can be guessed. */
const SHORT = 16;

/** Reads the token from the environment. If there is none, logs the consequence. */
export async function readPageSettings(
  context: Context,
  { listen, basePath }: Pick<RunSettings, 'listen' | 'basePath'>,
  { log, concealer }: { readonly log: ServiceLog; readonly concealer: Concealer },
): Promise<ReportOptions['page']> {
  const token = (await operatorSecret(context, 'FWDSYNC_PAGE_TOKEN'))?.trim() || null;
  if (token !== null) concealer.addSecret(token);
  if (token === null) tellWhoSees(listen.host, basePath, log);
  if (token !== null && token.length < SHORT) {
    const message = `FWDSYNC_PAGE_TOKEN can be guessed: make it ${SHORT} characters or longer`;
    log.warn({ event: 'page.token-short' }, message);
  }
  return { token, basePath };
}

/** Logs who sees the page without a token. */
function tellWhoSees(host: string, basePath: string | null, log: ServiceLog): void {
  const isNear = isLoopback(host === '::1' ? '[::1]' : host);
  if (isNear && basePath === null) {
    const advice = 'before you put a reverse proxy in front of it, set FWDSYNC_PAGE_TOKEN and --base-path';
    log.info({ event: 'page.open' }, `every user of this machine can see the page; ${advice}`);
    return;
  }
  const why = isNear ? '--base-path names a reverse proxy' : `--listen ${host} is beyond loopback`;
  const message = `the page and /status are not served: ${why}, and FWDSYNC_PAGE_TOKEN is not set`;
  log.warn({ event: 'page.closed' }, message);
}
