import type { Dump } from '../../../src/emulator/account/dump.ts';
import { restorable } from '../../golden/support/undo.ts';
import { routingBreaches } from './routing-oracle.ts';
import type { Ending } from './life.ts';
import type { Simulation } from './simulate.ts';
import type { Exchange } from './wire.ts';

/** Maximum number of runs after the run with the last fault. */
const MOST_RUNS_AFTER = 3;

/** Returns the broken promises of a simulation as sentences, compared with the same scenario without faults. */
export function judge(simulation: Simulation, faultless: Simulation): readonly string[] {
  const isUndisturbed = endsDone(faultless);
  return [
    ...simulation.endings.flatMap(crashes),
    ...(isUndisturbed ? convergence(simulation, faultless) : []),
    ...routingBreaches(simulation.moments, simulation.probes),
    ...duplicates(simulation.end).filter((breach) => !duplicates(simulation.start).includes(breach)),
    ...unwarrantedDeletes(simulation, faultless),
    ...simulation.hasty,
    ...unprovenDeletes(simulation.exchanges),
  ];
}

/** True if the scenario without faults ends well. */
export function endsDone({ endings }: Simulation): boolean {
  const last = endings.at(-1);
  return last?.kind === 'ended' && last.once.kind === 'applied' && last.once.report.outcome === 'unchanged';
}

function crashes(ending: Ending, index: number): readonly string[] {
  if (ending.kind === 'crashed')
    return [`run ${index + 1} crashed: ${String((ending.error as Error).stack)}`];
  return ending.kind === 'hung' ? [`run ${index + 1} never ended`] : [];
}

function convergence(simulation: Simulation, faultless: Simulation): readonly string[] {
  const { endings, lastStruck, end, restated } = simulation;
  const breaches: string[] = [];
  if (!endsDone(simulation)) breaches.push(`it does not converge: ${endings.map(describe).join('; ')}`);
  // Each new allowance for deletes needs another run.
  const after = endings
    .slice(lastStruck + (restated ? 1 : 0))
    .filter((ending) => !isUnchanged(ending)).length;
  if (after > MOST_RUNS_AFTER)
    breaches.push(`${after} runs after the last fault: ${endings.map(describe).join('; ')}`);
  const [is, wanted] = [restorable(end, []), restorable(faultless.end, [])].map((part) =>
    JSON.stringify(part),
  );
  if (is !== wanted) breaches.push(`the account ends as ${is}, without faults as ${wanted}`);
  return breaches;
}

function isUnchanged(ending: Ending): boolean {
  return (
    ending.kind === 'ended' && ending.once.kind === 'applied' && ending.once.report.outcome === 'unchanged'
  );
}

export function describe(ending: Ending): string {
  if (ending.kind !== 'ended') return ending.kind;
  const { once } = ending;
  switch (once.kind) {
    case 'applied': {
      const { outcome, failed, skipped, notKept, withheld, stopped } = once.report;
      const troubles = [
        ...failed.map(({ name, message }) => `${name} failed: ${message}`),
        ...skipped.map(({ name, reason }) => `${name} skipped: ${reason}`),
        ...notKept.map(({ name }) => `${name} not kept`),
        ...withheld.map(({ domain, reason }) => `${domain} withheld: ${reason}`),
        ...(stopped === null ? [] : [stopped.message]),
      ];
      return `${outcome}${troubles.length === 0 ? '' : ` (${troubles.slice(0, 4).join(', ')})`}`;
    }
    case 'not-run': {
      const { guards, withheld } = once.planned.plan;
      const refusing = guards
        .filter(({ allowed }) => !allowed)
        .map(({ guard, message }) => `${guard}: ${message}`);
      return `${once.decision.kind} (${[...refusing, ...withheld.map(({ reason }) => reason)].join(', ')})`;
    }
    case 'unread':
      return `unread (${once.error.message})`;
    case 'locked':
    case 'fault':
      return `${once.kind} (${JSON.stringify(once.fault)})`;
  }
}

/** Finds two aliases or credentials with the same name. Rules have ids and are compared with the end without faults. */
function duplicates({ domains }: Dump): readonly string[] {
  return domains.flatMap(({ domain, aliases, credentials }) => {
    const names = [
      ...aliases.map(({ alias }) => `alias ${alias.toLowerCase()}`),
      ...credentials.map(({ username }) => `credential ${username.toLowerCase()}`),
    ];
    return names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `${domain} has ${name} twice`);
  });
}

/** Finds deletes of items that exist at the start and, without faults, at the end. */
function unwarrantedDeletes({ exchanges, start }: Simulation, faultless: Simulation): readonly string[] {
  const kept = (dump: Dump): ReadonlySet<string> =>
    new Set(
      dump.domains.flatMap(({ domain, aliases, rules, credentials }) => [
        `/domains/${domain}`,
        ...aliases.map(({ id }) => `/domains/${domain}/aliases/${id}`),
        ...rules.map(({ id }) => `/domains/${domain}/rules/${id}`),
        ...credentials.map(({ username }) => `/domains/${domain}/credentials/${username}`),
      ]),
    );
  const after = kept(faultless.end);
  const toKeep = new Set([...kept(start)].filter((item) => after.has(item)));
  return exchanges
    .filter(({ method }) => method === 'DELETE')
    .flatMap(deletedBy)
    .filter((item) => toKeep.has(item))
    .map((item) => `${item} was to be deleted, and is there without faults`);
}

function deletedBy({ path, body }: Exchange): readonly string[] {
  const [, section] = /^(\/domains\/[^/]+\/(?:aliases|rules))\/batch$/.exec(path) ?? [];
  if (section === undefined) return [path];
  const { ids } = JSON.parse(body ?? '{}') as { readonly ids?: readonly string[] };
  return (ids ?? []).map((id) => `${section}/${id}`);
}

interface ListingAnswer {
  readonly total?: number;
  readonly limit?: number;
  readonly [field: string]: unknown;
}

/**
 * Finds deletes of aliases and rules without a complete read of the section by the same process before them. It reads the recorded
 * requests, not the client.
 */
function unprovenDeletes(exchanges: readonly Exchange[]): readonly string[] {
  const pages = new Map<string, Map<number, ListingAnswer | null>>();
  const breaches: string[] = [];
  for (const exchange of exchanges) {
    const { method, path, process } = exchange;
    const [, domain = '', section = ''] = /^\/domains\/([^/]+)\/(aliases|rules)(?=[/?])/.exec(path) ?? [];
    if (section === '') continue;
    const key = `${process} ${domain} ${section}`;
    if (method === 'GET') notePage(pages, key, exchange);
    else if (method === 'DELETE' && !isWhole(pages.get(key), section)) {
      breaches.push(`${path} was deleted after a reading that proves nothing`);
    }
  }
  return breaches;
}

function notePage(
  pages: Map<string, Map<number, ListingAnswer | null>>,
  key: string,
  { path, status, text }: Exchange,
): void {
  const page = Number(new URLSearchParams(path.split('?')[1]).get('page') ?? 1);
  const reading = page === 1 ? new Map<number, ListingAnswer | null>() : (pages.get(key) ?? new Map());
  reading.set(page, status === 200 && text !== null ? parse(text) : null);
  pages.set(key, reading);
}

function parse(text: string): ListingAnswer | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as ListingAnswer | null) : null;
  } catch {
    return null;
  }
}

function isWhole(reading: ReadonlyMap<number, ListingAnswer | null> | undefined, section: string): boolean {
  const answers = [...(reading?.values() ?? [])];
  const total = answers[0]?.total;
  const ids = answers.flatMap((answer) => {
    const rows = answer?.[section];
    return Array.isArray(rows) ? rows.map((row: { readonly id?: unknown } | null) => row?.id) : [];
  });
  return (
    total !== undefined &&
    answers.every((answer) => answer?.total === total) &&
    new Set(ids).size === total &&
    ids.length === total
  );
}
