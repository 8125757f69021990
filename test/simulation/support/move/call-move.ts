import { createClient } from '../../../../src/client/create.ts';
import { decodeForward, showDestinations, DISCLOSE_ALL } from '../../../../src/core/model/destinations.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { fail, succeed } from '../../../../src/core/model/result.ts';
import { plainCommand } from '../../../../src/core/model/text/command-line.ts';
import type { FormerAddress } from '../../../../src/core/move/inventory.ts';
import type { Read, Rehearsal } from '../../../../src/core/move/observation.ts';
import { manifestSize } from '../../../../src/core/plan/size.ts';
import { planOnce } from '../../../../src/engine/plan-once.ts';
import { openStateDirectory } from '../../../../src/engine/state/directory.ts';
import type { StateStore } from '../../../../src/engine/state/store.ts';
import { createEmulator } from '../../../../src/emulator/emulator.ts';
import { seedOf } from '../../../../src/cli/commands/emulator/emulator-from.ts';
import { moveOnce, type Moved } from '../../../../src/service/move/move-once.ts';
import type { MovePorts } from '../../../../src/service/move/ports.ts';
import { clockOf, diskOf, processTable, type Process } from '../process.ts';
import { policyOf } from '../scenario.ts';
import { Wire } from '../wire.ts';
import { KEY } from '../world.ts';
import { OWNER, type MoveWorld } from './move-world.ts';
import { DOMAIN } from './random-move.ts';
import { dnsOf, RESOLVER } from './zone.ts';

const LONGEST_CALL_MS = 3_600_000;

export type Called =
  | { readonly kind: 'moved'; readonly moved: Moved; readonly disk: number }
  | { readonly kind: 'killed' };

/** Runs one process of `move`. `killAt` kills it before this operation on its disk, counted from 1. */
export async function callMove(world: MoveWorld, killAt: number | null): Promise<Called> {
  const { account, desired, former } = world;
  const process: Process = { id: (account.processes += 1), isAlive: true };
  let called: Called | Error | null = null;
  let operations = 0;
  const die = (): void => {
    process.isAlive = false;
    called = { kind: 'killed' };
  };
  const state = openState(world, process, () => {
    operations += 1;
    if (operations === killAt) die();
  });
  const ports = openPorts(world, process, state);
  const domain = desired.domains.get(DOMAIN as DomainName);
  if (domain?.state !== 'present') throw new Error('the manifest has no domain');
  const question = { desired, domain, imported: former.domain, formerTtl: null };
  const run = async (): Promise<void> => {
    try {
      const moved = await moveOnce(question, ports, plainCommand);
      called = moved.ok
        ? { kind: 'moved', moved: moved.value, disk: operations }
        : new Error(moved.error.message);
    } catch (error) {
      called = error as Error;
    }
  };
  void run();
  await account.clock.until(() => called !== null, LONGEST_CALL_MS);
  process.isAlive = false;
  return ended(called);
}

function ended(called: Called | Error | null): Called {
  if (called === null) throw new Error('move hangs');
  if (called instanceof Error) throw called;
  return called;
}

function openState({ account }: MoveWorld, process: Process, onOperation: () => void): StateStore {
  return openStateDirectory({
    account: OWNER,
    apiUrl: 'https://api.simulated.example',
    directory: '/state',
    fs: diskOf(process, account.disk.fs, () => {
      onOperation();
      return 'whole';
    }),
    clock: clockOf(process, { clock: account.clock, skewMs: () => 0 }),
    processes: processTable(process, account.clock),
  });
}

function openPorts(world: MoveWorld, process: Process, state: StateStore): MovePorts {
  const { account, desired, draw, zone, resolver } = world;
  const clock = clockOf(process, { clock: account.clock, skewMs: () => 0 });
  const wire = new Wire(process, {
    core: account.core,
    clock: account.clock,
    strike: () => null,
    onKill: () => undefined,
    onClock: () => undefined,
    onExchange: (exchange) => void account.exchanges.push(exchange),
  });
  const client = createClient({
    url: `https://api.simulated.example/${draw.version}`,
    version: draw.version,
    key: KEY,
    mode: 'read-write',
    clock,
    random: account.random,
    dispatcher: wire,
  });
  return {
    clock,
    dns: dnsOf(zone, resolver),
    resolver: RESOLVER,
    serverPort: RESOLVER.port,
    readPolicyFile: async () => (world.policy === null ? fail('404') : succeed(policyText(world.policy))),
    client,
    plan: () =>
      planOnce(
        {
          desired,
          manifestSize: manifestSize(desired),
          domains: [DOMAIN as DomainName],
          policy: policyOf(desired, {}, clock.now()),
        },
        { client, clock, openState: () => state, resolvePassword: () => null },
      ),
    rehearse: (addresses) => rehearse(world, addresses),
    state,
    show: { text: (text) => text, destinations: (all) => showDestinations(all, DISCLOSE_ALL) },
  };
}

function policyText({ mode, mx, maxAge }: NonNullable<MoveWorld['policy']>): string {
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((host) => `mx: ${host}`), `max_age: ${maxAge}`];
  return lines.map((line) => `${line}\n`).join('');
}

/** Sends a mail to each address in an emulator of the manifest. */
async function rehearse(
  { desired, draw, account }: MoveWorld,
  addresses: readonly FormerAddress[],
): Promise<Read<Rehearsal>> {
  const emulator = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: seedOf(desired, OWNER, 'unused'),
    now: () => account.clock.now(),
    sleep: async () => undefined,
    randomId: () => '00000000-0000-4000-8000-000000000000',
  });
  const failures = addresses.flatMap(({ address }) => {
    const delivered = emulator.deliver({ to: address, from: 'sender@test.invalid' });
    const found = delivered.ok ? delivered.value.destinations.flatMap(decodeForward) : [];
    const wanted = draw.endsOf(address.slice(0, address.indexOf('@')));
    return String(found.toSorted()) === String(wanted) ? [] : [`${address}: ${String(found)}`];
  });
  return succeed({ sent: addresses.length, failures, left: 0 });
}
