import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import {
  applyStep,
  rulesInOrder,
  type Item,
  type ModelAccount,
  type ModelDomain,
  type Outcome,
  type Step,
} from './support/model-account.ts';
import { configOf, requestOf } from './support/model-requests.ts';
import { authorization, KEY, START, type Body } from './support/target.ts';
import { runs } from '../support/share.ts';

/** Change the seed for other accounts. A failure prints it with the shortest operations that fail. */
const SEED = 20_260_115;
const DOMAINS = ['a.example', 'b.example', 'c.example'];
const NAMES = ['sales', 'Sales', 'support', '*', '007', '__proto__', '(a|b)'];
const IDS = [1, 2, 3, 4, 5].map((digit) => `${String(digit).repeat(8)}-2222-5333-8444-555555555555`);
const USERNAMES = ['carol', 'dave', '__proto__'];
const FORWARDS = ['ana@corp.example', 'ben@corp.example,https://hooks.corp.example/in', 'null', 'nowhere'];

const KEYS = { domain: [''], alias: NAMES, rule: IDS, credential: USERNAMES } as const;
/** Deletions are rare, because they leave little to compare. */
const VERBS = {
  domain: { add: 4, update: 4, delete: 1, 'delete-all': 0 },
  alias: { add: 8, update: 5, delete: 4, 'delete-all': 1 },
  rule: { add: 8, update: 5, delete: 4, 'delete-all': 1 },
  credential: { add: 4, update: 3, delete: 2, 'delete-all': 0 },
} as const;

function steps(kind: Step['kind']): fc.Arbitrary<Step> {
  const item: fc.Arbitrary<Item> = fc.record({
    key: fc.constantFrom(...KEYS[kind]),
    forward: fc.constantFrom(...FORWARDS),
    password: fc.constantFrom('correct horse', 'battery staple', 'short'),
    type: fc.constantFrom('alias', 'regex', 'cel'),
    config: fc.constantFrom('sent', 'sent', 'left-out'),
    rank: fc.constantFrom(undefined, 1, 2, 2.5, -3),
    active: fc.constantFrom(undefined, true, false),
    notificationEmail: fc.constantFrom(undefined, 'ops@corp.example'),
    whitelabel: fc.constantFrom(undefined, null, 'mail.partner.example'),
    webhook: fc.constantFrom(undefined, null, 'https://hooks.corp.example/events'),
  });
  const hasBatches = kind === 'alias' || kind === 'rule';
  return fc
    .record({
      version: fc.constantFrom('v4', 'v3'),
      domain: fc.constantFrom(...DOMAINS),
      kind: fc.constant(kind),
      verb: fc.oneof(...verbs(kind)),
      way: hasBatches ? fc.constantFrom('single', 'batch', 'bulk') : fc.constant('single'),
      addressed: fc.constantFrom('by-name', 'by-id'),
      items: fc.array(item, { minLength: 1, maxLength: hasBatches ? 5 : 1 }),
    })
    .map((step): Step => {
      const way = step.way === 'bulk' && step.version === 'v4' ? 'batch' : step.way;
      return { ...step, way, items: way === 'single' ? step.items.slice(0, 1) : step.items };
    });
}

function verbs(kind: Step['kind']): { weight: number; arbitrary: fc.Arbitrary<Step['verb']> }[] {
  return (['add', 'update', 'delete', 'delete-all'] as const).map((verb) => ({
    weight: VERBS[kind][verb],
    arbitrary: fc.constant(verb),
  }));
}

const anyStep = fc.oneof(
  { weight: 1, arbitrary: steps('domain') },
  { weight: 4, arbitrary: steps('alias') },
  { weight: 4, arbitrary: steps('rule') },
  { weight: 2, arbitrary: steps('credential') },
);

test('random operations over both versions give the state of a simple model', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 200, size: 'max' }), async (sequence) => {
      const service = startService();
      const account: ModelAccount = { email: service.email, domains: new Map() };
      for (const step of [...DOMAINS.map(addition), ...sequence]) {
        count += 1;
        await takeStep(service, account, step);
        // Reads with the other version; the end of the test reads with the same one.
        await compareDomain(service, account, step.domain, step.version === 'v3' ? 'v4' : 'v3');
      }
      await compareListings(service, account);
    }),
    { seed: SEED, numRuns: runs(130, 40) },
  );
  expect(count).toBeGreaterThanOrEqual(runs(10_000, 3_000));
});

function addition(domain: string): Step {
  const [step] = fc.sample(steps('domain'), { seed: SEED, numRuns: 1 }) as [Step];
  return { ...step, domain, verb: 'add' };
}

interface Service {
  readonly email: string;
  send(method: string, target: string, body?: unknown): Promise<{ status: number; body: Body }>;
}

function startService(): Service {
  let now = START;
  const core = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    rateLimit: Number.MAX_SAFE_INTEGER,
    journalSize: 1,
    now: () => (now += 1),
    sleep: async () => {},
    randomId: () => '00000000-0000-4000-8000-000000000000',
  });
  const headers = { authorization: authorization(KEY) };
  return {
    email: core.store.state.account.email,
    async send(method, target, body) {
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const outcome = await core.dispatch({ method, target, headers, body: sent });
      if (outcome.kind === 'dropped') throw new Error('dropped');
      const text = outcome.answer.body;
      return { status: outcome.answer.status, body: text === '' ? undefined : JSON.parse(text) };
    },
  };
}

/** Sends the step, compares the answer with the model, and learns the ids of new aliases. */
async function takeStep(service: Service, account: ModelAccount, step: Step): Promise<void> {
  const request = requestOf(account, step);
  const expected = applyStep(account, step);
  const { status, body } = await service.send(request.method, request.target, request.body);
  if (expected === null) {
    expect(status).toBe(404);
    return;
  }
  if (step.verb === 'delete-all') {
    expect(body).toMatchObject({ deleted: expected.length });
  } else if (step.way === 'single') {
    expect(status).toBe(statusOf(step, expected[0] as Outcome));
  } else {
    compareItems(step, expected, body);
    const isPartial = step.way === 'batch' && expected.some((outcome) => outcome !== 'done');
    expect(status).toBe(isPartial ? 207 : 200);
  }
  const domain = account.domains.get(step.domain);
  if (domain !== undefined && step.verb === 'add') await learnIds(service, domain, step, body);
}

function statusOf(step: Step, outcome: Outcome): number {
  if (outcome === 'missing') return 404;
  if (outcome === 'invalid') return 400;
  return step.verb === 'delete' && step.version === 'v4' ? 204 : 200;
}

/** The answer to a batch or bulk request, item by item. Bulk answers about aliases name the failed items, not their positions. */
function compareItems(step: Step, expected: readonly Outcome[], body: Body): void {
  const failed = expected.map((outcome) => outcome !== 'done');
  if (step.way === 'batch') {
    const positions = body.failed.map((entry: Body) => entry.index);
    expect(step.items.map((_, index) => positions.includes(index))).toEqual(failed);
  } else if (step.kind === 'rule') {
    expect(body.results.map((result: Body) => !result.success)).toEqual(failed);
  } else {
    const lists = step.verb === 'delete' ? [body.deleted] : [body.added, body.updated];
    expect(lists.flat().map(lowerName)).toEqual(namesOf(step, (index) => failed[index] === false));
    expect(body.failed.map(lowerName)).toEqual(namesOf(step, (index) => failed[index] === true));
  }
}

function lowerName({ alias }: Body): string {
  return alias.toLowerCase();
}

function namesOf(step: Step, keep: (index: number) => boolean): string[] {
  return step.items.filter((_, index) => keep(index)).map(({ key }) => key.toLowerCase());
}

async function learnIds(service: Service, domain: ModelDomain, step: Step, body: Body): Promise<void> {
  const aliases: Body[] =
    step.kind === 'domain'
      ? (await service.send('GET', `/v4/domains/${step.domain}/aliases`)).body.aliases
      : [body.alias, ...(body.added ?? [])];
  for (const alias of aliases) {
    const known = domain.aliases.get(alias?.alias?.toLowerCase() ?? '');
    if (known !== undefined) known.id = String(alias.id);
  }
}

async function compareDomain(
  service: Service,
  account: ModelAccount,
  name: string,
  version: Step['version'],
): Promise<void> {
  const root = `/${version}/domains/${name}`;
  const domain = account.domains.get(name);
  if (domain === undefined) {
    expect((await service.send('GET', root)).status).toBe(404);
    return;
  }
  const get = async (path: string): Promise<Body> => (await service.send('GET', root + path)).body;
  expect((await get('')).domain).toMatchObject(settingsOf(domain, version));
  const aliases = await get('/aliases?limit=100');
  const rules = await get('/rules?limit=100');
  const { credentials } = await get('/credentials?limit=100');
  expect({
    totals: [aliases.total, rules.total],
    aliases: aliases.aliases.map(readAlias),
    rules: rules.rules.map(readRule),
    credentials: credentials.map((each: Body) => each.username),
  }).toEqual({
    totals: [domain.aliases.size, domain.rules.size],
    aliases: aliasesOf(domain),
    rules: rulesOf(domain),
    credentials: [...domain.credentials],
  });
}

async function compareListings(service: Service, account: ModelAccount): Promise<void> {
  for (const version of ['v3', 'v4'] as const) {
    const { body } = await service.send('GET', `/${version}/domains?limit=100`);
    expect(body.total).toBe(account.domains.size);
    expect(body.domains.map((each: Body) => each.domain)).toEqual([...account.domains.keys()].toSorted());
    for (const name of DOMAINS) await compareDomain(service, account, name, version);
  }
}

function settingsOf(domain: ModelDomain, version: Step['version']): object {
  const { notificationEmail: notification_email, whitelabel, webhook } = domain;
  return { notification_email, whitelabel, ...(version === 'v3' ? { webhook } : {}) };
}

function aliasesOf(domain: ModelDomain): object[] {
  return [...domain.aliases]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { name, forward, id }]) => ({ alias: name, forward, id }));
}

function readAlias({ alias, forward, id }: Body): object {
  return { alias, forward, id: String(id) };
}

function rulesOf(domain: ModelDomain): object[] {
  return rulesInOrder(domain).map(([id, rule]) => ({
    id,
    type: rule.type,
    config: configOf(rule),
    rank: rule.rank,
    active: rule.active,
  }));
}

function readRule({ id, type, config, rank, active }: Body): object {
  return { id, type, config, rank, active };
}
