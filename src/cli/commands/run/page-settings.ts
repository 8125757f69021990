import type { Logger } from 'pino';
import { isLoopback } from '../../../core/model/endpoints.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { operatorSecret } from '../../input/references/references.ts';
import type { Concealer } from './conceal.ts';
import type { ListenAddress } from './serve-status.ts';

/** Who may see the page, and below which path a reverse proxy serves it. */
export interface PageSettings {
  /** Null: none is set. */
  readonly token: string | null;
  /** Without a slash at its end; null: no proxy is said to be there. */
  readonly basePath: string | null;
}

export interface PageSource {
  readonly listen: ListenAddress;
  readonly basePath: string | null;
  readonly logger: Logger;
  readonly concealer: Concealer;
}

/** Names of the page's own: a path cannot begin with one. */
const OWN = [
  'runs',
  'events',
  'style.css',
  'script.js',
  'icon.svg',
  'status',
  'healthz',
  'readyz',
  'metrics',
  'login',
  'logout',
];

/** Of `--base-path`; `/` says that there is a proxy, and that it serves the page at its root. */
export function parseBasePath(text: string | undefined): string | null {
  if (text === undefined) return null;
  const path = text.replace(/\/+$/, '');
  const hint = 'write a path such as /fwdsync, or / where the proxy serves the page at its root';
  if (
    !/^(?:\/[\w.~-]+)*$/.test(path) ||
    path.split('/').some((segment) => /^\.+$/.test(segment)) ||
    text === ''
  )
    throw usageError(`--base-path ${text}: it is not a path`, hint);
  const [, first = ''] = path.split('/');
  if (OWN.includes(first))
    throw usageError(`--base-path ${text}: the page itself has a path /${first}`, hint);
  return path;
}

/** A short token can be guessed. */
const SHORT = 16;

/** Reads the token of the environment; logs what it means if there is none. */
export async function readPageSettings(
  context: Context,
  { listen, basePath, logger, concealer }: PageSource,
): Promise<PageSettings> {
  const token = (await operatorSecret(context, 'FWDSYNC_PAGE_TOKEN'))?.trim() || null;
  if (token !== null) concealer.addSecret(token);
  if (token === null) tellWhoSees(listen, basePath, logger);
  if (token !== null && token.length < SHORT) {
    const message = `FWDSYNC_PAGE_TOKEN can be guessed: make it ${SHORT} characters or longer`;
    logger.warn({ event: 'page.token-short' }, message);
  }
  return { token, basePath };
}

/** Logs who sees the page without a token. */
function tellWhoSees({ host }: ListenAddress, basePath: string | null, logger: Logger): void {
  const isNear = isLoopback(host === '::1' ? '[::1]' : host);
  if (isNear && basePath === null) {
    const advice = 'before you put a reverse proxy in front of it, set FWDSYNC_PAGE_TOKEN and --base-path';
    logger.info({ event: 'page.open' }, `everybody on this machine can see the page; ${advice}`);
    return;
  }
  const why = isNear ? '--base-path names a reverse proxy' : `--listen ${host} is beyond loopback`;
  const message = `the page and /status are not served: ${why}, and FWDSYNC_PAGE_TOKEN is not set`;
  logger.warn({ event: 'page.closed' }, message);
}
