import { READ_ENDPOINTS, endpointText } from '../../../core/model/endpoints.ts';
import { durationText, iso } from '../../../core/model/clock.ts';
import { escapeInvisible, plural, type DomainName } from '../../../core/model/names.ts';
import type { PlannedRoute } from '../../../core/model/plan.ts';
import type { WeighedPlan } from '../../../core/plan/document/document.ts';
import { createReplay } from '../../../core/plan/replay/replay.ts';
import type { RoutesInput } from '../../../core/plan/routes/sides.ts';
import { readReplay, type ReplayRead, type ReplayReading } from '../../../service/replay/read-replay.ts';
import type { Context } from '../../context.ts';
import { connectShown } from '../../input/connect.ts';
import { parseDuration } from '../../input/arguments.ts';
import type { Session } from '../../input/session.ts';
import { endpointHeadway } from '../../output/progress/headway.ts';
import { usageError } from '../../exit.ts';

export interface ReplayOptions {
  /** Period of the mail, such as `7d`. */
  readonly replay?: string;
  readonly limitRequests?: number;
  readonly quick?: true;
}

/** The mail to weigh a plan with: its period, and the maximum number of requests. */
export interface ReplayRequest {
  readonly lengthMs: number;
  readonly most: number;
}

const USUAL_LIMIT = 300;
const DAY_MS = 86_400_000;

/** Returns the mail to weigh a plan with; null means that the plan is not weighed. */
export function replayRequest({ replay, limitRequests, quick }: ReplayOptions): ReplayRequest | null {
  if (replay === undefined) {
    if (limitRequests === undefined) return null;
    throw usageError('--limit-requests has no effect without --replay', 'add --replay 7d, or leave it out');
  }
  if (quick === true)
    throw usageError('--replay needs the whole plan, but --quick skips domains', 'leave out one of them');
  return { lengthMs: parseDuration('--replay', replay), most: limitRequests ?? USUAL_LIMIT };
}

/** A plan to weigh, and the routes that it changes. */
export interface WeighedRoutes {
  readonly input: RoutesInput;
  readonly routes: readonly PlannedRoute[];
}

/** Weighs a plan with the mail in the email logs. Returns null if it is interrupted. */
export async function weigh(
  context: Context,
  session: Pick<Session, 'connection' | 'client'>,
  { input, routes }: WeighedRoutes,
  { lengthMs, most }: ReplayRequest,
): Promise<WeighedPlan | null> {
  const until = context.clock.now();
  const since = until - lengthMs;
  const replay = createReplay(input, routes);
  const { domains } = replay;
  const read =
    domains.length === 0
      ? NOTHING_TO_READ
      : await readLogs(context, session, { replay, domains, since, until, most });
  if (read.kind === 'interrupted') return null;
  const { unread } = read;
  const { byRoute, ...counts } = replay.counts(new Set(unread.keys()));
  const isKept = domains.length === 0 || since >= until - keptMs(input);
  const complete = isKept && unread.size === 0;
  return { document: { since: iso(since), until: iso(until), complete, ...counts }, byRoute };
}

const NOTHING_TO_READ: ReplayRead = { kind: 'read', unread: new Map() };

/** Returns how long the account keeps its logs; 0 means unknown. */
function keptMs({ observed }: RoutesInput): number {
  return (observed.account.logRetentionDays ?? 0) * DAY_MS;
}

interface LogsToRead extends Omit<ReplayReading, 'client' | 'onLeft'> {
  /** Maximum number of requests. */
  readonly most: number;
}

/** Reads the logs. Prints to standard error what it reads, how long it may take, and what it could not read. */
async function readLogs(
  context: Context,
  { connection, client: planning }: Pick<Session, 'connection' | 'client'>,
  { most, ...reading }: LogsToRead,
): Promise<ReplayRead> {
  const limits = { mostReads: most, budgets: planning.knownBudgets() };
  const { client, progress } = connectShown(context, connection, 'read-only', limits);
  const endpoint = endpointText(READ_ENDPOINTS[client.version].listLogs);
  let left = most;
  const headway = endpointHeadway(context, client, { label: 'reading logs', endpoint, left: () => left });
  const { stderr } = context;
  stderr.write(
    `reading the logs of ${plural(reading.domains.length, 'domain')}: at most ${plural(most, 'request')}, which take up to ${durationText(headway.left())}\n`,
  );
  left = reading.domains.length;
  progress.follow(headway);
  try {
    const read = await readReplay({
      ...reading,
      client,
      onLeft(requests) {
        left = Math.min(requests, Math.max(0, most - client.totals().total));
      },
    });
    progress.stop();
    if (read.kind === 'interrupted') stderr.write('interrupted: the plan is shown without counts\n');
    else printUnread(context, read.unread);
    return read;
  } finally {
    progress.stop();
    await client.close();
  }
}

const MOST_UNREAD = 5;

function printUnread({ stderr }: Context, unread: ReadonlyMap<DomainName, string>): void {
  const all = [...unread];
  for (const [domain, reason] of all.slice(0, MOST_UNREAD)) {
    stderr.write(`warning: the logs of ${domain} were not read to the end: ${escapeInvisible(reason)}\n`);
  }
  const rest = all.length - MOST_UNREAD;
  if (rest > 0) stderr.write(`warning: the same for ${plural(rest, 'other domain')}\n`);
}
