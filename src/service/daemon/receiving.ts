import type { DomainName } from '../../core/model/names.ts';
import type { Observed } from '../../core/model/observed.ts';
import type { Receiving } from '../../core/model/status/daemon.ts';
import { parseJsonText } from '../../engine/state/documents.ts';
import type { StateStore } from '../../engine/state/store.ts';

/**
 * Watches if the service says that the domains of an account receive mail. A change counts when two reads in a row show
 * it. The last values are kept in the state.
 */
export interface ReceivingWatch {
  /** Compares a proven list of domains with the values in the state. A part of the list is ignored. */
  read(
    observed: Pick<Observed, 'domains' | 'partial'>,
    state: Pick<StateStore, 'place' | 'receiving'>,
  ): Promise<void>;
  /** Returns the last known value of each domain. */
  values(): ReadonlyMap<DomainName, Receiving>;
  /** Returns the changes since the last call. */
  takeChanges(): readonly ReceivingChange[];
}

export interface ReceivingChange {
  readonly domain: DomainName;
  readonly receives: boolean;
}

interface Known {
  readonly value: Receiving;
  /** True if the last read showed the opposite. */
  readonly isDoubted: boolean;
}

type Memory = ReadonlyMap<DomainName, Known>;

export function createReceivingWatch(): ReceivingWatch {
  let place: string | null = null;
  let memory: Memory = new Map();
  let changes: readonly ReceivingChange[] = [];
  return {
    async read({ domains, partial }, state) {
      if (partial === true) return;
      if (place !== state.place) memory = parseMemory(await state.receiving.read());
      place = state.place;
      const before = memory;
      memory = new Map(
        [...domains].flatMap(([domain, { forwardingReady }]) => {
          const known = before.get(domain);
          const next = forwardingReady === undefined ? known : advance(known, forwardingReady);
          return next === undefined ? [] : [[domain, next] as const];
        }),
      );
      changes = [...changes, ...changesBetween(before, memory)];
      const text = writeMemory(memory);
      // A fault of the state is reported by the run. This process goes on with the values in memory.
      if (text !== writeMemory(before)) await state.receiving.write(text);
    },
    values: () => new Map([...memory].map(([domain, { value }]) => [domain, value])),
    takeChanges() {
      const taken = changes;
      changes = [];
      return taken;
    },
  };
}

function advance(known: Known | undefined, receives: boolean): Known {
  const { value, isDoubted } = known ?? { value: 'never', isDoubted: false };
  if (value === 'never') return { value: receives ? 'yes' : 'never', isDoubted: false };
  if ((value === 'yes') === receives) return { value, isDoubted: false };
  if (!isDoubted) return { value, isDoubted: true };
  return { value: receives ? 'yes' : 'stopped', isDoubted: false };
}

/** Returns the domains that stopped or began again. The first mail of a new domain is no news. */
function* changesBetween(before: Memory, after: Memory): Generator<ReceivingChange> {
  for (const [domain, { value }] of after) {
    const old = before.get(domain)?.value;
    if (old === 'yes' && value === 'stopped') yield { domain, receives: false };
    if (old === 'stopped' && value === 'yes') yield { domain, receives: true };
  }
}

const VALUES = ['yes', 'stopped', 'never'] as const satisfies readonly Receiving[];
const KIND = 'fwdsync/receiving@1';

function writeMemory(memory: Memory): string {
  const domains = [...memory].map(([domain, { value, isDoubted }]) => [domain, value, isDoubted]);
  return `${JSON.stringify({ kind: KIND, domains })}\n`;
}

/** Parses the memory. A damaged one counts as empty: the next read is then the first. */
function parseMemory(text: string | null): Memory {
  const document =
    text === null ? null : (parseJsonText(text) as { kind?: unknown; domains?: unknown } | null);
  const rows =
    document?.kind === KIND && Array.isArray(document.domains) ? (document.domains as unknown[]) : [];
  const memory = new Map<DomainName, Known>();
  for (const row of rows) {
    const [domain, known, isDoubted] = Array.isArray(row) ? (row as unknown[]) : [];
    const value = VALUES.find((one) => one === known);
    if (typeof domain === 'string' && value !== undefined)
      memory.set(domain as DomainName, { value, isDoubted: isDoubted === true });
  }
  return memory;
}
