import type { FullClient } from '../../../client/create.ts';
import type { ApiError } from '../../../client/errors.ts';
import { followLogs } from '../../../client/logs/follow.ts';
import {
  LARGEST_LOG_PAGE,
  listAllLogs,
  searchAllLogs,
  type LogReading,
  type OnLogEntries,
} from '../../../client/logs/pages.ts';
import { showText } from '../../../core/model/destinations.ts';
import { quote, type DomainName } from '../../../core/model/names.ts';
import type { Result } from '../../../core/model/result.ts';
import { requireDomain } from '../../input/arguments.ts';
import { answerAbout, answerOf, connect } from '../../input/connect.ts';
import type { Context } from '../../context.ts';
import { discloseManifest, openDisclosure } from '../../output/disclose.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import {
  CommandError,
  EXIT,
  type ExitCode,
  commandFailure,
  interruptedExit,
  usageError,
} from '../../exit.ts';
import { logFilter, logOrder, stated, type LogsOptions } from './logs-options.ts';
import { logDetails, logJson, logLine, type ShowText } from './logs-text.ts';
import { resolveConnection } from '../../settings/connection.ts';

const DEFAULT_LIMIT = 100;

/** Lists, follows, searches or counts the email logs of a domain, or shows one entry. */
export async function logsCommand(
  context: Context,
  { settings, options, args: [name = ''] }: CommandCall<LogsOptions>,
): Promise<CommandResult> {
  const query: LogsQuery = { domain: requireDomain(name), options, filter: logFilter(options) };
  const { disclosure } = await discloseManifest(context, settings.manifest);
  const connection = await resolveConnection(context, settings, {});
  const client = connect(context, connection, 'read-only');
  const output: LogsOutput = {
    context,
    open: once(async () => {
      const account = { disclosure, client, connection, command: 'logs' } as const;
      const disclose = await openDisclosure(context, settings.state, account);
      return (text) => showText(text, disclose(text));
    }),
  };
  try {
    return { exit: await questionOf(options)(client, query, output) };
  } finally {
    await client.close();
  }
}

interface LogsQuery {
  readonly domain: DomainName;
  readonly options: LogsOptions;
  readonly filter: ReturnType<typeof logFilter>;
}

interface LogsOutput {
  readonly context: Context;
  /** Reads once what is remembered of references, and so after it is known that the question can be asked. */
  readonly open: () => Promise<ShowText>;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

type Question = (client: FullClient, query: LogsQuery, output: LogsOutput) => Promise<ExitCode>;

function questionOf(options: LogsOptions): Question {
  if (options.follow === true) return follow;
  if (options.search !== undefined) return search;
  if (options.count === true) return count;
  return options.id === undefined ? list : show;
}

async function list(client: FullClient, query: LogsQuery, output: LogsOutput): Promise<ExitCode> {
  const { options, filter } = query;
  const order = logOrder(options);
  if (order === 'relevance') throw usageError('only a search is ordered by relevance', 'give --search TEXT');
  const wanted = { ...filter, ...stated({ alias: options.alias, order }) };
  await orEnd(client, query, await listAllLogs(readingOf(client, query, output), wanted));
  return EXIT.done;
}

async function search(client: FullClient, query: LogsQuery, output: LogsOutput): Promise<ExitCode> {
  const { options, filter } = query;
  const wanted = { ...filter, text: options.search ?? '', ...stated({ order: logOrder(options) }) };
  await orEnd(client, query, await searchAllLogs(readingOf(client, query, output), wanted));
  return EXIT.done;
}

function readingOf(client: FullClient, { domain, options }: LogsQuery, output: LogsOutput): LogReading {
  return { client, domain, limit: options.limit ?? DEFAULT_LIMIT, onEntries: printer(output) };
}

async function count(
  client: FullClient,
  query: LogsQuery,
  { context: { stdout, format } }: LogsOutput,
): Promise<ExitCode> {
  const total = await orEnd(client, query, await client.countLogs(query.domain, query.filter));
  stdout.write(`${format === 'json' ? JSON.stringify({ total }) : total}\n`);
  return EXIT.done;
}

async function show(
  client: FullClient,
  query: LogsQuery,
  { context: { stdout, format }, open }: LogsOutput,
): Promise<ExitCode> {
  const entry = await orEnd(client, query, await client.getLog(query.domain, query.options.id ?? ''));
  const show = await open();
  stdout.write(format === 'json' ? logJson(entry, show) : logDetails(entry, show));
  return EXIT.done;
}

/** Until it is interrupted, or nobody reads any more. A read that fails is tried again with the next one, and reported once. */
async function follow(client: FullClient, query: LogsQuery, output: LogsOutput): Promise<ExitCode> {
  const { domain, options, filter } = query;
  const { alias, limit: pageSize = LARGEST_LOG_PAGE } = options;
  if (pageSize > LARGEST_LOG_PAGE) {
    throw usageError(
      `--limit ${pageSize} is over ${LARGEST_LOG_PAGE}, the largest page`,
      'give a smaller one',
    );
  }
  if (client.version === 'v3') {
    const why = 'v3 lists logs from the newest on only: what is new cannot be asked for';
    throw usageError(`--follow needs v4: ${why}`, 'use the v4 address');
  }
  const { context } = output;
  let trouble = '';
  const print = printer(output);
  await output.open();
  const unread = new AbortController();
  context.stdout.once('error', () => unread.abort());
  await orEnd(
    client,
    query,
    await followLogs({
      client,
      domain,
      query: { ...filter, ...stated({ alias }) },
      pageSize,
      clock: context.clock,
      signal: AbortSignal.any([context.signal, unread.signal]),
      onEntries(entries) {
        trouble = '';
        return print(entries);
      },
      onTrouble({ message }) {
        if (message !== trouble) context.stderr.write(`warning: ${message}; trying again\n`);
        trouble = message;
      },
    }),
  );
  return context.signal.aborted ? interruptedExit(context) : EXIT.done;
}

function noEntry(domain: DomainName, id: string): CommandError {
  return commandFailure(
    `${domain} has no log entry ${quote(id)}`,
    `list them with fwdsync logs ${domain}; the service keeps them for a limited time`,
  );
}

function printer({ context: { stdout, format }, open }: LogsOutput): OnLogEntries {
  const line = format === 'json' ? logJson : logLine;
  return async (entries) => {
    const show = await open();
    stdout.write(entries.map((entry) => line(entry, show)).join(''));
  };
}

/** What this generation cannot be asked is wrong usage; anything else is a failure of the service. */
async function orEnd<T>(
  client: FullClient,
  { domain, options }: LogsQuery,
  result: Result<T, ApiError>,
): Promise<T> {
  if (!result.ok && result.error.kind === 'not-found') {
    const { id } = options;
    // Ends with what is known of the domain, where that is what was not found.
    if (id !== undefined) await answerAbout(client, domain, await client.getDomain(domain));
    if (id !== undefined) throw noEntry(domain, id);
    return answerAbout(client, domain, result);
  }
  if (result.ok || result.error.kind !== 'rejected' || result.error.status !== null) return answerOf(result);
  const message = result.error.message.replace(/^not sent: /, '');
  throw usageError(message, 'leave it out, or ask the other generation of the API');
}
