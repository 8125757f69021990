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
import { commandLine } from '../../output/command-lines.ts';
import { discloseManifest, openDisclosure } from '../../output/disclose.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import { EXIT, commandFailure, interruptedExit, usageError, type ExitCode } from '../../exit.ts';
import { logFilter, logOrder, stated, type LogsOptions } from './logs-options.ts';
import { logDetails, logJson, logLine, type ShowText } from './logs-text.ts';
import { resolveConnection } from '../../settings/connection.ts';

const DEFAULT_LIMIT = 100;

/** Lists, follows, searches or counts the email logs of a domain, or shows one entry. */
export async function logsCommand(
  context: Context,
  { settings, options, args: [name = ''] }: CommandCall<LogsOptions>,
): Promise<CommandResult> {
  const domain = requireDomain(name);
  const filter = logFilter(options);
  const { disclosure } = await discloseManifest(context, settings.manifest);
  const connection = await resolveConnection(context, settings, {});
  const client = connect(context, connection, 'read-only');
  const open = once(async (): Promise<ShowText> => {
    const account = { disclosure, client, connection, command: 'logs' } as const;
    const disclose = await openDisclosure(context, settings.state, account);
    return (text) => showText(text, disclose(text));
  });
  try {
    return await ask({ context, client, domain, options, filter, open });
  } finally {
    await client.close();
  }
}

interface LogsQuestion {
  readonly context: Context;
  readonly client: FullClient;
  readonly domain: DomainName;
  readonly options: LogsOptions;
  readonly filter: ReturnType<typeof logFilter>;
  /** Reads the remembered references once, after it is known that the question can be asked. */
  readonly open: () => Promise<ShowText>;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}

async function ask(question: LogsQuestion): Promise<CommandResult> {
  const { options } = question;
  if (options.follow === true) return { exit: await follow(question) };
  if (options.count === true) return { exit: EXIT.done, text: await count(question) };
  if (options.id !== undefined) return { exit: EXIT.done, text: await show(question, options.id) };
  if (options.search === undefined) await list(question);
  else await search(question, options.search);
  return { exit: EXIT.done };
}

async function list(question: LogsQuestion): Promise<void> {
  const { options, filter } = question;
  const order = logOrder(options);
  if (order === 'relevance') throw usageError('only a search is ordered by relevance', 'give --search TEXT');
  const wanted = { ...filter, ...stated({ alias: options.alias, order }) };
  await orEnd(question, await listAllLogs(readingOf(question), wanted));
}

async function search(question: LogsQuestion, text: string): Promise<void> {
  const { options, filter } = question;
  const wanted = { ...filter, text, ...stated({ order: logOrder(options) }) };
  await orEnd(question, await searchAllLogs(readingOf(question), wanted));
}

function readingOf(question: LogsQuestion): LogReading {
  const { client, domain, options } = question;
  return { client, domain, limit: options.limit ?? DEFAULT_LIMIT, onEntries: printer(question) };
}

async function count(question: LogsQuestion): Promise<string> {
  const { context, client, domain, filter } = question;
  const total = await orEnd(question, await client.countLogs(domain, filter));
  return `${context.format === 'json' ? JSON.stringify({ total }) : total}\n`;
}

async function show(question: LogsQuestion, id: string): Promise<string> {
  const { context, client, domain, open } = question;
  const entry = await orEnd(question, await client.getLog(domain, id));
  return (context.format === 'json' ? logJson : logDetails)(entry, await open());
}

/**
 * Prints new entries until it is interrupted or the reader closes the output. A failed read is reported once and
 * tried again with the next one.
 */
async function follow(question: LogsQuestion): Promise<ExitCode> {
  const { context, client, domain, options, filter, open } = question;
  const { alias, limit: pageSize = LARGEST_LOG_PAGE } = options;
  assertFollowable(client, pageSize);
  let trouble = '';
  const print = printer(question);
  await open();
  const unread = new AbortController();
  context.stdout.once('error', () => unread.abort());
  const ended = await followLogs({
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
  });
  await orEnd(question, ended);
  return context.signal.aborted ? interruptedExit(context) : EXIT.done;
}

function assertFollowable({ version }: FullClient, pageSize: number): void {
  if (pageSize > LARGEST_LOG_PAGE)
    throw usageError(
      `--limit ${pageSize} is over ${LARGEST_LOG_PAGE}, the largest page`,
      'give a smaller one',
    );
  if (version !== 'v3') return;
  const why = 'v3 lists logs only from the newest entry, so it cannot list new ones';
  throw usageError(`--follow needs v4: ${why}`, 'use the v4 address');
}

function printer({ context: { stdout, format }, open }: LogsQuestion): OnLogEntries {
  const line = format === 'json' ? logJson : logLine;
  return async (entries) => {
    const shown = await open();
    stdout.write(entries.map((entry) => line(entry, shown)).join(''));
  };
}

/**
 * Returns the value of a result, or ends the command. A question that this API version cannot answer is wrong usage.
 * Other errors are failures of the service.
 */
async function orEnd<T>(
  { context, client, domain, options: { id } }: LogsQuestion,
  result: Result<T, ApiError>,
): Promise<T> {
  if (!result.ok && result.error.kind === 'not-found') {
    if (id === undefined) return answerAbout(client, domain, result);
    // Ends with what is known of the domain, if the domain is what was not found.
    await answerAbout(client, domain, await client.getDomain(domain));
    throw commandFailure(
      `${domain} has no log entry ${quote(id)}`,
      `\`${commandLine(context)(`logs ${domain}`)}\` lists them; the service keeps them for a limited time`,
    );
  }
  if (result.ok || result.error.kind !== 'rejected' || result.error.status !== null) return answerOf(result);
  const message = result.error.message.replace(/^not sent: /, '');
  throw usageError(message, 'leave it out, or use the other version of the API');
}
