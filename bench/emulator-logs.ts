import type { EmulatorCore } from '../src/emulator/emulator.ts';
import type { SeedLog } from '../src/emulator/logs-seed.ts';
import { call, meanTime, PAGE_LIMIT_MS, report, startCore, timeOf } from './emulator-calls.ts';

const DOMAIN = 'mail.example';
const LOGS = 200_000;
/** Each has 4,000 entries: too many to look through them. */
const RECIPIENTS = 50;
const STEP_MS = 10;
const DAY = 86_400_000;
const STATUSES = ['DELIVERED', 'BOUNCED', 'REFUSED'] as const;
const TRANSPORTS = ['mx', 'smtp', 'api'] as const;
const PATH = `/v4/domains/${DOMAIN}/logs`;

/** A sender, a forward and half of the recipients have every other entry, so that some never meet. */
const FILTERS = [
  ['sender and forward, which never meet', 'sender=s0@corp.example&forward=f1@corp.example'],
  ['sender and recipient, which never meet', `sender=s0@corp.example&recipient=r7@${DOMAIN}`],
  ['sender and recipient', `sender=s1@corp.example&recipient=r7@${DOMAIN}`],
  ['sender and status', 'sender=s0@corp.example&status=DELIVERED'],
  ['sender and two statuses', 'sender=s0@corp.example&status=DELIVERED,HARD-BOUNCE'],
  ['recipient, transport and status', `recipient=r7@${DOMAIN}&transport=mx&status=REFUSED,BOUNCED`],
  ['everything', `sender=s1@corp.example&forward=f0@corp.example&transport=mx&status=DELIVERED,REFUSED`],
] as const;

interface Figure {
  readonly name: string;
  readonly mean: number;
}

/** Pages and counts of 200,000 logs by several filters. Gives the names of what took too long. */
export async function measureLogsByFilters(): Promise<readonly string[]> {
  const core = await startWithLogs();
  const ids = core.store.state.domains.get(DOMAIN)?.logs.byId.keys() ?? [];
  const cursor = [...ids][LOGS / 2] ?? '';
  const first = await measureFirst(core);
  const again = await measureEach(core, cursor, () => {});
  const afterMail = await measureEach(core, cursor, () => deliver(core));
  startRetention(core);
  const whileDropping = await measureEach(core, cursor, () => core.clock.advance(STEP_MS));
  const figures = [
    ['for the first time', first],
    ['again', again],
    ['right after a mail', afterMail],
    ['while retention drops some', whileDropping],
  ] as const;
  for (const [when, all] of figures) {
    const worst = all.reduce((a, b) => (a.mean > b.mean ? a : b));
    report(`logs by several filters, ${when}: the worst`, `${worst.mean.toFixed(2)} ms (${worst.name})`);
  }
  const mail = await meanTime(async () => {
    deliver(core);
    core.makeReady();
  });
  report('a mail, and what follows it', `${mail.toFixed(2)} ms`);
  return figures.flatMap(([when, all]) =>
    all.filter(({ mean }) => mean >= PAGE_LIMIT_MS).map(({ name }) => `${name}, ${when}`),
  );
}

async function startWithLogs(): Promise<EmulatorCore> {
  const seed = { domains: [{ domain: DOMAIN, logs: makeLogs() }] };
  const begin = performance.now();
  const core = startCore(seed);
  const seconds = (performance.now() - begin) / 1000;
  report(`start with ${LOGS.toLocaleString('en')} logs`, `${seconds.toFixed(1)} s`);
  return core;
}

/** Newest first, as the API lists them. */
function makeLogs(): readonly SeedLog[] {
  const newest = Date.now();
  return Array.from({ length: LOGS }, (_, index) => ({
    created_at: newest - index * STEP_MS,
    sender: `s${index % 2}@corp.example`,
    recipient: `r${index % RECIPIENTS}@${DOMAIN}`,
    forward: `f${index % 2}@corp.example`,
    subject: `Order number ${index % 9000}`,
    transport: TRANSPORTS[Math.floor(index / 7) % 3],
    events: ['QUEUED', STATUSES[Math.floor(index / 11) % 3] ?? 'DELIVERED'],
  }));
}

/** Each request is the first with its values. */
async function measureFirst(core: EmulatorCore): Promise<readonly Figure[]> {
  const recipients = Array.from({ length: RECIPIENTS }, (_, index) => `recipient=r${index}@${DOMAIN}`);
  const ways = TRANSPORTS.flatMap((transport) =>
    STATUSES.map((status) => `transport=${transport}&status=${status}`),
  );
  const figures: Figure[] = [];
  for (const [name, others] of [
    ['recipient and sender', ['sender=s0@corp.example', 'sender=s1@corp.example']],
    ['recipient, transport and status', ways],
  ] as const) {
    const queries = recipients.flatMap((recipient) => others.map((other) => `${recipient}&${other}`));
    const all = await timeOf(async () => {
      for (const query of queries) await call(core, 'GET', `${PATH}?limit=200&${query}`);
    });
    figures.push({ name, mean: all / queries.length });
  }
  return figures;
}

/** Pages and counts by each of the filters, each after a change. */
async function measureEach(
  core: EmulatorCore,
  cursor: string,
  change: () => void,
): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, filter] of FILTERS) {
    for (const [what, target] of [
      ['page', `?limit=200&${filter}`],
      ['page after a cursor', `?limit=200&cursor=${cursor}&${filter}`],
      ['older page first', `?limit=200&order=created_asc&cursor=${cursor}&${filter}`],
      ['count', `/count?${filter}`],
    ] as const) {
      const mean = await meanTime(async () => {
        change();
        await call(core, 'GET', PATH + target);
      });
      figures.push({ name: `${what} by ${name}`, mean });
    }
  }
  return figures;
}

function deliver(core: EmulatorCore): void {
  core.deliver({ to: `r7@${DOMAIN}`, from: 's1@corp.example', subject: 'Another order' });
}

/** From here on, time takes entries away. */
function startRetention({ store, clock }: EmulatorCore): void {
  const oldest = clock.now() - LOGS * STEP_MS;
  clock.advance(oldest + store.state.account.email_log_retention_days * DAY - clock.now());
}
