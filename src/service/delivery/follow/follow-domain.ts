import type { ApiError } from '../../../client/errors.ts';
import type { LogEntry, LogsClient } from '../../../client/logs/logs.ts';
import { LARGEST_LOG_PAGE } from '../../../client/logs/pages.ts';
import type { DeliveryThreshold } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { readLogPage, type WalkedPage } from '../log-pages.ts';
import type { CountedMessage } from '../tally.ts';
import {
  countPage,
  giveUp,
  isOverdue,
  OVERLAP_MS,
  putOff,
  withPage,
  type Advanced,
  type AdvanceOptions,
} from './advance.ts';
import type { FollowMemory, OpenMessage, Trouble } from './follow-memory.ts';
import { judgeTroubles, withMessages, type TroublePorts } from './troubles.ts';

export interface DomainFollowing extends Omit<TroublePorts, 'threshold'> {
  readonly client: LogsClient & { readonly version: 'v4' | 'v3' };
  readonly domain: DomainName;
  /** Reads the messages of these entries. */
  readonly readMessages: (entries: readonly LogEntry[]) => Promise<AdvanceOptions['messageOf']>;
  readonly threshold: DeliveryThreshold;
  readonly now: () => number;
  /** Returns the number of messages that may still be kept open, over all domains. */
  readonly room: () => number;
  /** Waits until one more request may be sent. Resolves to false if the daemon is stopping. */
  readonly mayAsk: () => Promise<boolean>;
  /** Saves the memory so far. Results that are not saved do not count. */
  readonly keep: (memory: FollowMemory) => Promise<Result<void, string>>;
}

/** The result of reading a domain's logs. */
export interface FollowedDomain {
  readonly memory: FollowMemory;
  readonly failing: readonly Trouble[];
  readonly recovered: readonly Trouble[];
  /** Why some messages may not be counted. null means that all are. */
  readonly gap: string | null;
}

/** Maximum number of rechecks per read. Others that are due wait for the next read. */
const MOST_RECHECKS = 3;

/**
 * Reads the new entries in a domain's logs, page by page, and some of the open ones. After each page the memory is saved in
 * one step, so that each message counts once even if the process is killed.
 */
export async function followDomain(
  following: DomainFollowing,
  before: FollowMemory,
): Promise<Result<FollowedDomain, ApiError | string>> {
  const walked = await walk({ following, gap: null, memory: before });
  if (!walked.ok) return walked;
  const rechecked = await recheck(walked.value);
  if (!rechecked.ok) return rechecked;
  const { memory, gap } = rechecked.value;
  const judged = judgeTroubles(memory.troubles, following.threshold, following.now());
  return succeed({ ...judged, memory: { ...memory, troubles: judged.after }, gap });
}

interface Step {
  readonly following: DomainFollowing;
  readonly memory: FollowMemory;
  readonly gap: string | null;
}

async function walk(first: Step): Promise<Result<Step, ApiError | string>> {
  let step = first;
  do {
    if (!(await step.following.mayAsk())) return fail('interrupted');
    const next = await walkOn(step);
    if (!next.ok) return next;
    step = next.value;
  } while (step.memory.walk !== null);
  return succeed(step);
}

async function walkOn(step: Step): Promise<Result<Step, ApiError | string>> {
  const { following, memory } = step;
  const cursor = memory.walk?.cursor ?? null;
  const page = await readLogPage({ ...following, since: memory.at - OVERLAP_MS, cursor });
  const isOver = !page.ok && cursor !== null && isLost(page.error);
  if (!page.ok && !isOver) return page;
  const { entries, next } = page.ok ? page.value : { entries: [], next: null };
  const counted = countPage(memory, entries, {
    ...(await optionsOf(step, entries)),
    counts: 'all',
    cursor,
  });
  const gap = isOver ? 'a read that was interrupted could not be resumed' : gapOf(step, counted);
  return keepStep({ ...step, gap }, withPage(counted.memory, entries, next), counted.ended);
}

/** True if the service no longer knows the cursor. */
function isLost({ kind }: ApiError): boolean {
  return kind === 'rejected' || kind === 'not-found';
}

async function optionsOf(
  { following }: Step,
  entries: readonly LogEntry[],
): Promise<Omit<AdvanceOptions, 'counts' | 'cursor'>> {
  const messageOf = await following.readMessages(entries);
  return { messageOf, now: following.now(), room: following.room() };
}

function gapOf({ gap }: Step, { dropped }: Advanced): string | null {
  return dropped === 0 ? gap : 'more than 10000 messages are open: some are not followed';
}

async function keepStep(
  step: Step,
  memory: FollowMemory,
  ended: readonly CountedMessage[],
): Promise<Result<Step, string>> {
  const { following } = step;
  const after = { ...memory, troubles: await withMessages(memory.troubles, ended, following) };
  const kept = await following.keep(after);
  return kept.ok ? succeed({ ...step, memory: after }) : kept;
}

/** Lists the messages that are due again, the oldest first. A message that is no longer listed is given up. */
async function recheck(first: Step): Promise<Result<Step, ApiError | string>> {
  const now = first.following.now();
  let step: Step = { ...first, memory: giveUp(first.memory, isOverdue(now)) };
  let cursor: string | null = null;
  for (let asked = 1; asked <= MOST_RECHECKS; asked += 1) {
    const due = dueAt(step.memory, now);
    const [oldest] = due;
    if (oldest === undefined) break;
    if (!(await first.following.mayAsk())) return fail('interrupted');
    const page = await recheckPage(step, { oldest, due, cursor });
    if (!page.ok) return page;
    const { isListed, next, ended } = page.value;
    cursor = isListed ? null : next;
    const memory = withRechecked(page.value, oldest, asked === MOST_RECHECKS ? now : null);
    const kept = await keepStep(step, memory, ended);
    if (!kept.ok) return kept;
    step = kept.value;
  }
  return succeed(step);
}

/** Returns the memory after a recheck. `putOffAt` is the current time if no other page follows, else null. */
function withRechecked(
  { memory, isListed, next }: Rechecked,
  oldest: OpenMessage,
  putOffAt: number | null,
): FollowMemory {
  if (isListed) return memory;
  if (next === null) return giveUp(memory, ({ id }) => id === oldest.id);
  return putOffAt === null ? memory : putOff(memory, oldest, putOffAt);
}

function dueAt({ open }: FollowMemory, now: number): readonly OpenMessage[] {
  return open.filter((one) => one.dueAt <= now).toSorted((a, b) => a.createdAt - b.createdAt);
}

interface Due {
  readonly oldest: OpenMessage;
  readonly due: readonly OpenMessage[];
  /** Cursor of the next page, if more messages were received in that period than fit on a page. */
  readonly cursor: string | null;
}

interface Rechecked extends Pick<Advanced, 'memory' | 'ended'>, Pick<WalkedPage, 'next'> {
  /** True if the oldest message is on the page. */
  readonly isListed: boolean;
}

async function recheckPage(step: Step, wanted: Due): Promise<Result<Rechecked, ApiError | string>> {
  const { following, memory } = step;
  const page = await listAround(following, wanted);
  if (!page.ok && !isLost(page.error)) return page;
  const { entries, next } = page.ok ? page.value : { entries: [], next: null };
  const options = await optionsOf(step, entries);
  const counted = countPage(memory, entries, { ...options, counts: 'open', cursor: wanted.oldest.before });
  const isListed = entries.some(({ id }) => id === wanted.oldest.id);
  return succeed({ ...counted, isListed, next: following.client.version === 'v3' ? null : next });
}

/**
 * Lists the entries around the messages that are due. v4 lists the period from the oldest to the newest of them; v3 lists
 * the entries after the one that preceded the oldest.
 */
function listAround(
  { client, domain }: DomainFollowing,
  { oldest, due, cursor }: Due,
): ReturnType<LogsClient['listLogs']> {
  if (client.version === 'v3')
    return client.listLogs(domain, oldest.before === null ? {} : { cursor: oldest.before });
  const newest = due.at(-1) ?? oldest;
  const [after, before] = [oldest.createdAt - 2_000, newest.createdAt + 2_000];
  const from = cursor === null ? {} : { cursor };
  return client.listLogs(domain, { ...from, order: 'oldest', limit: LARGEST_LOG_PAGE, after, before });
}
