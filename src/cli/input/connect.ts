import type { RequestEvent } from '../../client/http/call.ts';
import { createClient, type ClientOptions, type FullClient } from '../../client/create.ts';
import { errorText, type ApiError } from '../../client/errors.ts';
import { keyFault } from '../../client/http/address.ts';
import { didYouMean } from '../../core/manifest/read/suggest.ts';
import { plural, type DomainName } from '../../core/model/names.ts';
import type { Account } from '../../core/model/observed.ts';
import type { Result } from '../../core/model/result.ts';
import type { Context } from '../context.ts';
import { CommandError, EXIT, commandFailure } from '../exit.ts';
import { createRunProgress, type RunProgress } from '../output/progress/run-progress.ts';
import type { Connection } from '../../client/connection.ts';

/** Opens a client of the account. */
export function connect(
  context: Context,
  connection: Connection,
  mode: 'read-only' | 'read-write',
  {
    onEvent = requestLog(context),
    budgets,
    mostReads,
  }: Pick<ClientOptions, 'onEvent' | 'budgets' | 'mostReads'> = {},
): FullClient {
  assertKey(connection);
  const { url, version, key, writeMs } = connection;
  const client = createClient({
    url,
    version,
    key,
    mode,
    clock: context.clock,
    random: context.random,
    redactor: context.secrets.redactor,
    signal: context.signal,
    ...(writeMs === undefined ? {} : { bounds: { writeMs } }),
    ...(context.connections === undefined ? {} : { dispatcher: context.connections }),
    ...(context.cut === undefined ? {} : { cut: context.cut }),
    onEvent(event) {
      if (!event.endpoint.startsWith('GET ')) context.ending?.noteWrite();
      onEvent?.(event);
    },
    ...(budgets === undefined ? {} : { budgets }),
    mostReads,
  });
  context.waitFor?.(() => client.inFlight());
  return client;
}

/** Ends the command if a key cannot be sent. The message does not show the key. */
export function assertKey({ key }: Pick<Connection, 'key'>): void {
  const fault = keyFault(key);
  if (fault !== null) throw commandFailure(fault, 'copy the key again from the account page');
}

/** Opens a client of the account, and a progress bar for its requests. */
export function connectShown(
  context: Context,
  connection: Connection,
  mode: 'read-only' | 'read-write',
  limits: Pick<ClientOptions, 'mostReads' | 'budgets'> = {},
): { readonly client: FullClient; readonly progress: RunProgress } {
  const log = requestLog(context);
  const progress = createRunProgress(context);
  const client = connect(context, connection, mode, {
    ...limits,
    onEvent(event) {
      log?.(event);
      progress.tick();
    },
  });
  return { client, progress };
}

function requestLog({ onRequest, member }: Context): ((event: RequestEvent) => void) | undefined {
  if (onRequest === undefined) return undefined;
  return (event) => onRequest(event, member?.name ?? '');
}

/**
 * Ends the command if the key belongs to another account than stated. A change for one of many accounts must not
 * reach another.
 */
export async function assertAccount(client: FullClient, connection: Connection): Promise<void> {
  if (connection.account !== null) assertAccountOf(answerOf(await client.getAccount()), connection);
}

/** Ends the command if an account that was read is not the stated one. */
export function assertAccountOf({ email }: Account, { account }: Connection): void {
  if (account === null) return;
  if (email.toLowerCase() === account.toLowerCase()) return;
  throw new CommandError(
    EXIT.refused,
    `the key belongs to ${email}, not to ${account}`,
    'use the key of that account',
  );
}

/** Returns the service's answer. An error ends the command. */
export function answerOf<T>(result: Result<T, ApiError>): T {
  if (result.ok) return result.value;
  throw apiFailure(result.error);
}

/**
 * Returns the answer to a question about one domain. If the answer is not-found, checks whether the account has the
 * domain at all.
 */
export async function answerAbout<T>(
  client: Pick<FullClient, 'listDomains'>,
  domain: DomainName,
  result: Result<T, ApiError>,
): Promise<T> {
  if (result.ok || result.error.kind !== 'not-found') return answerOf(result);
  const names = answerOf(await client.listDomains()).map((live) => live.domain);
  if (names.includes(domain)) return answerOf(result);
  const otherwise = 'check the spelling, and that the key belongs to the right account';
  const hint = didYouMean(domain, names, otherwise);
  throw commandFailure(`the account has no domain ${domain}`, hint);
}

/** Returns an error of the service as the end of a command. */
export function apiFailure(error: ApiError): CommandError {
  return commandFailure(errorText(error), apiHint(error.kind));
}

/** Returns what to do about an error of the service. */
export function apiHint(kind: ApiError['kind']): string {
  return HINTS[kind];
}

/**
 * Returns an error of a command that only reads the account. An interrupted command also says how many requests it
 * sent.
 */
export function readFailure(error: ApiError, { totals }: Pick<FullClient, 'totals'>): CommandError {
  if (error.kind !== 'stopped') return apiFailure(error);
  const sent = plural(totals().total, 'request');
  return commandFailure(`${error.message} after ${sent}; nothing was written`, HINTS.stopped);
}

const HINTS: Readonly<Record<ApiError['kind'], string>> = {
  unauthorised: 'check the key: FWDSYNC_API_KEY, FWDSYNC_API_KEY_FILE or api.key in the manifest',
  forbidden: "check the account's plan and what its key may do",
  'not-found': 'run the command again; the account may have changed meanwhile',
  rejected: 'see the message of the service',
  'rate-limited': 'run the command again later',
  unreachable: 'check --api-url and the network',
  'unknown-outcome': 'run the command again; it reads the account first',
  redirect: 'check --api-url: the key is sent to no other address',
  unproven: 'run the command again; nothing was treated as missing',
  stopped: 'run the command again',
};
