/**
 * The floor for `plan`: the same work in the simplest and fastest way. It reads the desired state as JSON and every page of every
 * listing, eight at a time, keeps one Map per domain, and prints the changes, one per line. It has no proofs, checks or guards.
 * Run it with `node bench/floor.ts DESIRED.json URL KEY`.
 */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

interface Page<T> {
  readonly total: number;
  readonly domains?: readonly T[];
  readonly aliases?: readonly T[];
}

interface Alias {
  readonly id: string;
  readonly alias: string;
  readonly forward: string;
}

const SIZE = 200;
const AT_ONCE = 8;

const [, , file = '', url = '', key = ''] = process.argv;
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: AT_ONCE });
const headers = { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` };

/** Destination of each alias, by domain. Aliases that are not named are deleted. */
const desired = JSON.parse(readFileSync(file, 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;
const waiting: (() => Promise<void>)[] = [];
const changes: string[] = [];

await read('/account');
const live = await readAll<{ readonly domain: string }>('/domains', 'domains');
for (const { domain } of live) {
  const wanted = desired[domain];
  if (wanted !== undefined) waiting.push(() => plan(domain, wanted));
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.stdout.write(changes.join(''));
await pool.close();

async function work(): Promise<void> {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await next();
}

async function plan(domain: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  const aliases = new Map<string, Alias>();
  for (const row of await readAll<Alias>(`/domains/${domain}/aliases`, 'aliases'))
    aliases.set(row.alias, row);
  for (const alias in wanted) {
    const row = aliases.get(alias);
    const forward = wanted[alias];
    if (row === undefined) changes.push(`${JSON.stringify(['add', domain, alias, forward])}\n`);
    else {
      if (row.forward !== forward) changes.push(`${JSON.stringify(['update', domain, row.id, forward])}\n`);
      aliases.delete(alias);
    }
  }
  for (const { id } of aliases.values()) changes.push(`${JSON.stringify(['delete', domain, id])}\n`);
}

async function readAll<T>(path: string, field: 'domains' | 'aliases'): Promise<readonly T[]> {
  const first = (await read(`${path}?limit=${SIZE}&page=1`)) as Page<T>;
  const rows = [...(first[field] ?? [])];
  for (let page = 2; page <= Math.ceil(first.total / SIZE); page += 1) {
    for (const row of ((await read(`${path}?limit=${SIZE}&page=${page}`)) as Page<T>)[field] ?? [])
      rows.push(row);
  }
  return rows;
}

async function read(path: string): Promise<unknown> {
  const { body } = await pool.request({ method: 'GET', path: `${pathname}${path}`, headers });
  return body.json();
}
