import { plainCommand } from '../../../../src/core/model/text/command-line.ts';
import { wayBack } from '../../../../src/core/move/gates/way-back.ts';
import type { Moved } from '../../../../src/service/move/move-once.ts';
import { parseMemory } from '../../../../src/service/move/memory-text.ts';
import { isUnderWay, nextStep, takeBack, hastyStep, type Step } from './administrator.ts';
import { callMove } from './call-move.ts';
import { falseGates } from './gate-oracle.ts';
import { openMove, type MoveWorld } from './move-world.ts';
import { DOMAIN } from './random-move.ts';
import { attempt, GIVE_UP_MS, nextTry, type Mail } from './senders.ts';

/** A mail that the service refused because its check had not yet shown that it forwards. */
export interface Gap {
  readonly at: number;
  readonly cause: 'absent' | 'unchecked';
}

export interface MoveRun {
  readonly world: MoveWorld;
  /** Broken promises, as sentences. */
  readonly breaches: readonly string[];
  readonly gaps: readonly Gap[];
  readonly delivered: number;
  readonly deferred: number;
  readonly calls: number;
  readonly kills: number;
  readonly waysBack: number;
  /** Actions with their times. */
  readonly diary: readonly string[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A move that takes longer counts as never done. */
const LONGEST_MS = 150 * DAY;
/** Average time between mails while nothing else happens. */
const MEAN_WAIT_MS = 4 * HOUR;
/** Time that mail continues after the old side is closed. */
const AFTERWARDS_MS = 2 * DAY;

/** Everything that changes during a move. */
interface Course {
  readonly world: MoveWorld;
  readonly breaches: string[];
  readonly gaps: Gap[];
  readonly diary: string[];
  readonly arrivals: number[];
  mails: Mail[];
  /** The administrator's next action, and its time; null means that the next action is to call the command. */
  step: Step | null;
  at: number;
  closedAt: number | null;
  hasRegretted: boolean;
  hasHurried: boolean;
  delivered: number;
  deferred: number;
  calls: number;
  kills: number;
  waysBack: number;
}

export async function simulateMove(seed: number): Promise<MoveRun> {
  const world = openMove(seed);
  const now = (): number => world.internet.now();
  const start = now();
  const course: Course = {
    world,
    breaches: [],
    gaps: [],
    diary: [],
    arrivals: [start],
    mails: [],
    step: null,
    at: start + DAY,
    closedAt: null,
    hasRegretted: false,
    hasHurried: false,
    delivered: 0,
    deferred: 0,
    calls: 0,
    kills: 0,
    waysBack: 0,
  };
  while (!isOver(course) && now() < start + LONGEST_MS) {
    const next = Math.min(course.at, ...course.arrivals, ...course.mails.map(({ nextAt }) => nextAt));
    await world.account.clock.pass(Math.max(0, next - now()));
    carryMails(course);
    if (now() >= course.at) await act(course);
  }
  if (!isOver(course)) course.breaches.push('the move does not end');
  return course;
}

function isOver({ closedAt, mails, arrivals, world }: Course): boolean {
  return (
    closedAt !== null &&
    world.internet.now() > closedAt + AFTERWARDS_MS &&
    mails.length + arrivals.length === 0
  );
}

/** Sends new mails, and tries waiting ones again. */
function carryMails(course: Course): void {
  const { world, arrivals, closedAt } = course;
  const { random, draw, senders } = world;
  const now = world.internet.now();
  for (const at of arrivals.filter((one) => one <= now)) {
    arrivals.splice(arrivals.indexOf(at), 1);
    const local = draw.locals[Math.floor(random() * draw.locals.length)] ?? 'info';
    course.mails.push({
      from: Math.floor(random() * senders.length),
      local,
      sentAt: now,
      tries: 0,
      nextAt: now,
    });
  }
  const isOpen = closedAt === null || now < closedAt + AFTERWARDS_MS;
  if (isOpen && !arrivals.some((at) => at < now + DAY))
    arrivals.push(now + Math.round(-Math.log(1 - random()) * MEAN_WAIT_MS) + 1);
  course.mails = course.mails.filter((mail) => mail.nextAt > now || !isSettled(course, mail));
}

/** Tries to deliver a mail. Returns true if it must not be tried again. */
function isSettled(course: Course, mail: Mail): boolean {
  const { world, breaches } = course;
  const { senders, internet, draw, random } = world;
  const [sender, now] = [senders[mail.from], internet.now()];
  if (sender === undefined) throw new Error('no such sender');
  const wanted = draw.endsOf(mail.local);
  const result = attempt(sender, mail.local, internet);
  switch (result.kind) {
    case 'accepted':
      course.delivered += 1;
      if (String(result.to) !== String(wanted))
        breaches.push(
          `${when(course)} ${mail.local} goes to ${String(result.to)} by ${result.host}, not to ${String(wanted)}`,
        );
      return true;
    case 'refused':
      if (wanted.length > 0) noteRefused(course, mail, result.host);
      return true;
    case 'deferred':
      course.deferred += 1;
      mail.nextAt = nextTry(mail, now, random);
      mail.tries += 1;
      if (now - mail.sentAt <= GIVE_UP_MS) return false;
      breaches.push(`${when(course)} ${mail.local}: the sender gives up: ${result.why}`);
      return true;
  }
}

function noteRefused(course: Course, { local }: Mail, host: string): void {
  const { world, gaps, breaches } = course;
  const record = world.account.core.store.state.domains.get(DOMAIN);
  const at = world.internet.now();
  if (isGap(course, host)) gaps.push({ at, cause: record === undefined ? 'absent' : 'unchecked' });
  else breaches.push(`${when(course)} ${local} is refused by ${host}`);
  course.diary.push(`${when(course)} ${local} is refused by ${host}`);
}

/** True if the service cannot know yet that it must forward, and could not have known it before. */
function isGap({ world, hasHurried }: Course, host: string): boolean {
  const { account, draw, hasForwarded, internet, isOldSideOpen } = world;
  const isServiceHost = host.endsWith('improvmx.com');
  const record = account.core.store.state.domains.get(DOMAIN);
  if (!isServiceHost || hasForwarded || record?.fields.forwarding_ready === true) return false;
  if (hasHurried && draw.person.haste !== 'policy') return true;
  const isBothPossible = draw.version === 'v4' && !draw.isStrict && draw.oldHosts.length > 0;
  const isOldSideUp = isOldSideOpen && draw.isOldSideUp(internet.now());
  return record !== undefined && !(isBothPossible && draw.person.usesBoth && isOldSideUp);
}

function when({ world }: Course): string {
  return new Date(world.internet.now()).toISOString();
}

/** Does the administrator's next step, or calls the command to learn it. */
async function act(course: Course): Promise<void> {
  const { world, step } = course;
  const { random } = world;
  if (step === null) return ask(course);
  course.diary.push(`${when(course)} ${step.about}`);
  await step.perform(world);
  if (step.about.includes('the way back')) course.waysBack += 1;
  course.step = null;
  const wait = step.isUrgent ? random() * MINUTE : random() * random() * 6 * HOUR;
  course.at = world.internet.now() + Math.round(wait) + SECOND;
  expectMail(course);
}

/** Sends mail at the moments when something changes. */
function expectMail({ arrivals, world: { internet, zone, mxTtl } }: Course): void {
  const now = internet.now();
  const lags = zone.servers.map(({ lagMs }) => lagMs);
  const moments = [0, ...lags].flatMap((lag) => [lag + 1, lag + mxTtl * 1000 - 1, lag + mxTtl * 1000 + 1]);
  arrivals.push(...[...moments, 5 * MINUTE, 15 * MINUTE, HOUR].map((wait) => now + wait));
}

async function ask(course: Course): Promise<void> {
  const { world } = course;
  const { random, draw, internet } = world;
  const killAt = draw.person.isKilled && random() < 0.4 ? 1 + Math.floor(random() * 25) : null;
  const called = await callMove(world, killAt);
  course.calls += 1;
  if (called.kind === 'killed') {
    course.kills += 1;
    course.at = internet.now() + Math.round(random() * 30 * MINUTE);
    return;
  }
  const { gates } = called.moved;
  course.diary.push(`${when(course)} ${gates.map(({ gate, state }) => `${gate} ${state}`).join(', ')}`);
  course.breaches.push(...falseGates(world, gates).map((text) => `${when(course)} ${text}`));
  decide(course, called.moved);
}

const RECORDS_ARE_RIGHT = 'SPF, DKIM and DMARC are correct';

function decide(course: Course, { gates, seen }: Moved): void {
  const { world, closedAt } = course;
  const { random, internet } = world;
  const isDone = gates.every(({ state }) => state === 'done');
  if (isDone && closedAt === null) {
    const sending = gates.find(({ gate }) => gate === 'sending');
    if (world.draw.person.sends && sending?.evidence[0] !== RECORDS_ARE_RIGHT)
      course.breaches.push(`the records that sending shows do not do: ${String(sending?.evidence)}`);
    course.diary.push(`${when(course)} the old side is closed`);
    world.isOldSideOpen = false;
    course.closedAt = internet.now();
    course.at = Infinity;
    return;
  }
  course.step = hasten(course, { gates, seen }) ?? regret(course, { gates, seen }) ?? nextStep(gates, world);
  const isUrgent = course.step === null && isUnderWay(gates);
  const delay = isUrgent
    ? MINUTE + random() * 4 * MINUTE
    : course.step === null
      ? 10 * MINUTE + random() * random() * 60 * HOUR
      : random() * random() * 4 * HOUR;
  course.at = internet.now() + Math.round(delay);
}

function hasten(course: Course, { gates }: Moved): Step | null {
  if (course.hasHurried) return null;
  const step = hastyStep(gates, course.world);
  course.hasHurried = step !== null;
  return step;
}

function regret(course: Course, { gates, seen }: Moved): Step | null {
  const { world, hasRegretted } = course;
  const wanted = gates.find(({ gate }) => gate === world.draw.person.regret);
  const text = [...world.account.disk.files].find(([name]) => name.endsWith(`moves/${DOMAIN}.json`))?.[1];
  const memory = text === undefined ? null : parseMemory(String(text));
  if (hasRegretted || wanted?.state !== 'done' || memory === null) return null;
  course.hasRegretted = true;
  return takeBack(wayBack({ seen, memory, earlier: [], command: plainCommand }));
}
