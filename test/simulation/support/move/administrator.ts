import type { MoveGate, MoveGateName } from '../../../../src/core/move/gate.ts';
import { byHand } from '../../../support/by-hand.ts';
import { loadZone, parseRecord, parseZone } from '../../../support/dns/zone-file.ts';
import { live } from '../life.ts';
import { parseFlags, type Flags } from '../scenario.ts';
import type { MoveWorld } from './move-world.ts';
import { DOMAIN, SERVICE } from './random-move.ts';

/** An action of the administrator. */
export interface Step {
  readonly about: string;
  /** True if the command must be called again at once. */
  readonly isUrgent: boolean;
  readonly perform: (world: MoveWorld) => void | Promise<void>;
}

/** Returns the next step of the checklist; null means to wait. Steps of a rollback come first. */
export function nextStep(gates: readonly MoveGate[], { draw: { person } }: MoveWorld): Step | null {
  const back = gates.find(({ state, todo = [] }) => state === 'blocked' && isWayBack(todo));
  if (back !== undefined) return stepFor(back);
  const skipped = new Set<MoveGateName>([
    ...(person.usesBoth ? [] : (['both'] as const)),
    ...(person.lowersTtl ? [] : (['ttl'] as const)),
  ]);
  const catchAll = gates.find(
    ({ gate, evidence }) =>
      gate === 'account' && evidence.some((line) => line.includes('has the catch-all *')),
  );
  if (catchAll?.state === 'done') return REMOVE_CATCH_ALL;
  const sending = gates.find(({ gate }) => gate === 'sending');
  if (person.sends && sending?.state === 'done' && (sending.todo ?? []).length > 0)
    return loadRecords(sending.todo ?? []);
  const next = gates.find(
    ({ gate, state }) => !skipped.has(gate) && (state === 'next' || state === 'blocked'),
  );
  return next === undefined ? null : stepFor(next);
}

/** True if the switch is made and the checklist says to call the command again every minute. */
export function isUnderWay(gates: readonly MoveGate[]): boolean {
  return gates.some(({ gate, evidence, todo = [] }) => {
    const isPartly = evidence.some((line) => line.startsWith('some servers have the new records'));
    return (gate === 'receiving' || isPartly) && todo.some((line) => AT_ONCE.test(line));
  });
}

/** Matches a step that says to call the command again soon. */
const AT_ONCE = /run this again (?:at once|every minute)/;

function isWayBack([first = '']: readonly string[]): boolean {
  return first.startsWith('the way back');
}

const REMOVE_CATCH_ALL: Step = {
  about: 'removes the * that the service added',
  isUrgent: false,
  async perform({ account: { core }, draw: { version } }) {
    const { id } = core.store.state.domains.get(DOMAIN)?.aliases.get('*') ?? {};
    const segment = version === 'v4' ? String(id) : '*';
    await byHand(core, 'DELETE', `/${version}/domains/${DOMAIN}/aliases/${segment}`);
  },
};

/** Each step of the checklist, by its first words. */
const STEPS: readonly (readonly [
  RegExp,
  (world: MoveWorld, todo: readonly string[]) => void | Promise<void>,
])[] = [
  [/^the way back/, (world, todo) => setMx(world, mxIn(todo))],
  [/^the MX records of \S+, and no others:/, (world, todo) => setMx(world, mxIn(todo))],
  [
    /^add the service's MX records to the old ones/,
    (world, todo) => setMx(world, [...currentMx(world), ...mxIn(todo)]),
  ],
  [/^change the manifest/, changeManifest],
  [/^fwdsync apply/, apply],
  [/^lower the TTL of the MX records to 300/, (world) => lowerTtl(world, 300)],
  [/^lower the negative TTL/, (world) => world.zone.put(DOMAIN, 'SOA', ['300'], 300)],
  [/^add to https:\/\/mta-sts/, changePolicy],
  [/^give the TXT record _mta-sts\.\S+ a new id/, changePolicyId],
];

function stepFor({ gate, todo = [], evidence }: MoveGate): Step {
  const [first = ''] = todo;
  const [, perform] = STEPS.find(([pattern]) => pattern.test(first)) ?? [];
  if (perform === undefined)
    throw new Error(`${gate}: nothing tells what to do: ${[...evidence, ...todo].join('; ')}`);
  return {
    about: `${gate}: ${todo.join('; ')}`,
    isUrgent: todo.some((line) => AT_ONCE.test(line)),
    perform: (world) => perform(world, todo),
  };
}

const SWITCH_EARLY: Step = {
  about: 'switches too early',
  isUrgent: false,
  perform: (world) =>
    setMx(
      world,
      SERVICE.map((host, index) => `${(index + 1) * 10} ${host}`),
    ),
};

const CHANGE_POLICY_EARLY: Step = {
  about: 'changes the policy too early',
  isUrgent: false,
  perform(world) {
    changePolicy(
      world,
      SERVICE.map((host) => `mx: ${host}`),
    );
    changePolicyId(world);
  },
};

/** The next action of an impatient administrator; null means none yet. */
export function hastyStep(gates: readonly MoveGate[], { draw: { person }, random }: MoveWorld): Step | null {
  switch (person.haste) {
    case null:
      return null;
    case 'switch':
      return random() < 0.4 ? SWITCH_EARLY : null;
    case 'lowered':
      return gates.some(({ gate, state }) => gate === 'ttl' && state === 'waiting') ? SWITCH_EARLY : null;
    case 'policy':
      return CHANGE_POLICY_EARLY;
  }
}

/** Puts the records for sending into the zone, as the lines of a zone file that `sending` shows. */
function loadRecords(lines: readonly string[]): Step {
  return {
    about: `loads ${lines.join('; ')}`,
    isUrgent: false,
    perform({ zone, draw }) {
      loadZone((name, type, data) => zone.put(name, type, data, draw.ttl), parseZone(lines.join('\n')));
    },
  };
}

/** Restores the old MX records from the lines that the command shows. */
export function takeBack(lines: readonly string[]): Step {
  return {
    about: `regrets it: ${lines.join('; ')}`,
    isUrgent: false,
    perform: (world) => setMx(world, mxIn(lines)),
  };
}

function mxIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const record = parseRecord(line);
    return record?.type === 'MX' && record.name === DOMAIN ? [record.data] : [];
  });
}

function setMx({ zone, mxTtl }: MoveWorld, data: readonly string[]): void {
  zone.put(DOMAIN, 'MX', data, mxTtl);
}

function currentMx({ zone }: MoveWorld): readonly string[] {
  const own = zone.records().filter(({ name, type }) => name === DOMAIN && type === 'MX');
  return own.map(({ data }) => data);
}

function lowerTtl(world: MoveWorld, seconds: number): void {
  world.mxTtl = seconds;
  setMx(world, currentMx(world));
}

function changeManifest(world: MoveWorld): void {
  world.desired = world.former.desired;
}

function changePolicy(world: MoveWorld, todo: readonly string[]): void {
  const { policy, draw } = world;
  if (policy === null) return;
  const added = todo.flatMap((line) => /^mx: (\S+)$/.exec(line)?.[1] ?? []);
  const allowed = { ...policy, mx: [...policy.mx, ...added] };
  world.policy = draw.person.policyChange === 'allow' ? allowed : { ...policy, mode: 'none', mx: [] };
}

function changePolicyId({ zone, policy, draw }: MoveWorld): void {
  if (policy !== null) zone.put(`_mta-sts.${DOMAIN}`, 'TXT', ['v=STSv1; id=b2;'], draw.ttl);
}

const MOST_RUNS = 5;

async function apply(world: MoveWorld): Promise<void> {
  const { account, scenario, desired, draw } = world;
  let flags: Flags = {};
  for (let runs = 0; runs < MOST_RUNS; runs += 1) {
    const ending = await live(account, { ...scenario, desired }, flags);
    const record = account.core.store.state.domains.get(DOMAIN);
    if (record !== undefined) record.fields.strict_mxes = draw.isStrict;
    if (ending.kind === 'ended' && ending.once.kind === 'applied') return;
    if (ending.kind !== 'ended' || ending.once.kind !== 'not-run') throw new Error(JSON.stringify(ending));
    const open = ending.once.planned.plan.guards.filter(({ allowed }) => !allowed);
    flags = { ...flags, ...parseFlags(open.flatMap(({ allow }) => allow?.split(' ') ?? [])) };
  }
  throw new Error('apply does not end');
}
