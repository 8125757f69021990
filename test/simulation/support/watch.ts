import type { Desired } from '../../../src/core/model/desired.ts';
import type { Process } from './process.ts';
import { lookAtRoutes } from './routing-oracle.ts';
import { missingRoutes } from './satisfaction.ts';
import type { Exchange, Stroke } from './wire.ts';
import type { World } from './world.ts';

export function strike(world: World, process: Process): Stroke | null {
  if (!world.recording) return null;
  world.sent += 1;
  const stroke = world.script.strokes.get(world.sent) ?? null;
  if (stroke !== null) world.lastStruck = process.id;
  return stroke;
}

export function strikeDisk(
  world: World,
  process: Process,
  operation: string,
  die: () => void,
): 'whole' | 'cut' {
  if (!world.recording) return 'whole';
  world.diskOperations += 1;
  const scripted = world.script.disk?.(world.diskOperations, operation) ?? null;
  if (scripted === 'full') world.fullFor = process.id;
  const stroke = scripted ?? (world.fullFor === process.id ? 'full' : null);
  if (stroke === null) return 'whole';
  world.lastStruck = process.id;
  if (stroke === 'vanish') world.disk.vanish();
  else if (stroke === 'kill') die();
  else if (stroke === 'short' || stroke === 'full') return WRITES.has(operation) ? 'cut' : 'whole';
  else throw Object.assign(new Error(`${stroke}: scripted`), { code: stroke });
  return 'whole';
}

const WRITES: ReadonlySet<string> = new Set(['appendFile', 'writeFile']);

export function record(world: World, exchange: Exchange): void {
  if (!world.recording) return;
  world.exchanges.push(exchange);
  if (exchange.method === 'GET') return;
  const after = `request ${world.sent}, ${exchange.method} ${exchange.path} ${exchange.body ?? ''}`;
  world.moments.push(lookAtRoutes(world.core.store.state, world.probes, after));
  world.script.onWrite?.(world.core.store.state, after);
}

/** Without a snapshot no write may be sent; the request to verify a domain is not a write. */
export function noteUnsaved(world: World, { method, path }: Exchange, before: number): void {
  if (!world.recording || method === 'GET' || path.endsWith('/verify')) return;
  if (countSnapshots(world) <= before) world.hasty.push(`${method} ${path} without a snapshot`);
}

/** Stage 2 of a domain must begin after all of its stage 1. */
export function noteDelete(
  { recording, core, hasty }: World,
  desired: Desired,
  { method, path }: Exchange,
): void {
  const [, domain] = /^\/domains\/([^/]+)\/(?:aliases|rules)/.exec(path) ?? [];
  if (!recording || method !== 'DELETE' || domain === undefined) return;
  const missing = missingRoutes(core.store.dump(), desired, domain);
  hasty.push(...missing.map((what) => `${path} was to be deleted while ${what}`));
}

export function countSnapshots({ disk }: World): number {
  return [...disk.saved].filter((name) => /\/snapshots\/[^/]+\.yaml$/.test(name)).length;
}
