import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import type { MoveGate } from '../../core/move/gate.ts';
import { findGates } from '../../core/move/gates.ts';
import { endsIn, formerAddresses, takeInventory } from '../../core/move/inventory.ts';
import { remember, type MoveMemory } from '../../core/move/memory.ts';
import type { MoveObservation } from '../../core/move/observation.ts';
import type { LockFault, StateFault } from '../../engine/state/store.ts';
import { parseMemory, writeMemory } from './memory-text.ts';
import type { MovePorts, MoveQuestion } from './ports.ts';
import { readAccountFacts } from './read-account.ts';
import { readCheck } from './read-check.ts';
import { readMail } from './read-mail.ts';
import { readPolicy } from './read-policy.ts';
import { readDns } from './read-zone.ts';

export interface Moved {
  readonly seen: MoveObservation;
  readonly gates: readonly MoveGate[];
}

/**
 * Observes the world, adds to the memory what is new, and judges the gates. The lock is held only while the memory changes:
 * of two callers, both end, and an observation that is older than the memory does not count.
 */
export async function moveOnce(
  question: MoveQuestion,
  ports: MovePorts,
  command: CommandLine,
): Promise<Result<Moved, LockFault | StateFault>> {
  const seen = await observeMove(question, ports);
  const memory = await keepMemory(seen, ports);
  if (!memory.ok) return memory;
  return succeed({ seen, gates: findGates({ seen, memory: memory.value, command }) });
}

/** Looks at everything once. What cannot be read is part of the observation. */
export async function observeMove(question: MoveQuestion, ports: MovePorts): Promise<MoveObservation> {
  const { desired, domain, imported, formerTtl } = question;
  const { clock, show } = ports;
  const name = domain.domain;
  const before = await readMemory(name, ports);
  const former = imported === null ? [] : formerAddresses(imported, name);
  const [{ zone, spf, texts }, policy] = await Promise.all([readDns(name, ports), readPolicy(name, ports)]);
  // The time of DNS: of two callers, the later answers of DNS count, however long the rest takes.
  const at = clock.now();
  const [account, check, rehearsal] = await Promise.all([
    readAccountFacts(domain, ports),
    readCheck(name, { zone, texts, last: before?.check ?? null }, ports),
    ports.rehearse(former),
  ]);
  const since = before?.switchedAt ?? null;
  const ends = endsIn(desired);
  const query = { domain: name, isUnrouted: (address: string) => ends.at(address)?.length === 0 };
  return {
    at,
    domain: name,
    formerTtl,
    inventory: takeInventory({
      desired,
      domain: name,
      imported,
      show: show.destinations,
      showAddress: show.text,
    }),
    account,
    rehearsal,
    check,
    zone,
    spf,
    policy,
    mail: since === null ? null : await readMail({ ...query, since }, ports),
  };
}

async function readMemory(
  domain: MoveObservation['domain'],
  { state }: Pick<MovePorts, 'state'>,
): Promise<MoveMemory | null> {
  const text = await state.moves.read(domain);
  return text === null ? null : parseMemory(text);
}

async function keepMemory(
  seen: MoveObservation,
  { state }: Pick<MovePorts, 'state'>,
): Promise<Result<MoveMemory, LockFault | StateFault>> {
  const lock = await state.lock();
  if (!lock.ok) return lock;
  try {
    const before = await readMemory(seen.domain, { state });
    const memory = remember(before, seen);
    const lost = await lock.value.lost();
    if (lost !== null) return fail(lost);
    const written = await state.moves.write(seen.domain, writeMemory(seen.domain, memory));
    return written.ok ? succeed(memory) : written;
  } finally {
    await lock.value.release();
  }
}
