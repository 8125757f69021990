import { expect } from 'vitest';
import type { SeedDomain } from '../../../src/emulator/account/seed.ts';
import type { ApiVersion } from '../../../src/core/model/endpoints.ts';
import { commandScene, type CommandInput, type CommandScene } from './scene.ts';

const HAND = { authorization: `Basic ${Buffer.from('api:key-of-the-scene').toString('base64')}` };

export const ACME: SeedDomain = {
  domain: 'acme.example',
  notification_email: 'ops@corp.example',
  aliases: [
    { alias: 'sales', forward: 'ana@corp.example' },
    { alias: 'info', forward: 'ana@corp.example' },
    { alias: 'old', forward: 'dan@corp.example' },
  ],
};
export const MANIFEST = `domains:
  acme.example:
    aliases: { sales: bob@corp.example, info: bob@corp.example, new: eve@corp.example, old: { state: absent } }
`;

export interface Applied {
  readonly scene: CommandScene;
  /** Id of the run. */
  readonly run: string;
}

export async function applied(
  manifest: string,
  domains: readonly SeedDomain[],
  input: CommandInput = {},
): Promise<Applied> {
  const scene = await commandScene({ seed: { domains: [...domains] }, manifest });
  return { scene, run: await apply(scene, [], input) };
}

export async function apply(
  scene: CommandScene,
  flags: readonly string[] = [],
  input: CommandInput = {},
): Promise<string> {
  scene.clock.advance(60_000);
  const { code, stdout, stderr } = await scene.run(['apply', '--yes', ...flags], input);
  expect([code, stderr], stdout).toEqual([0, expect.anything()]);
  scene.clock.advance(60_000);
  return /^undo: fwdsync undo (\w+)/m.exec(stdout)?.[1] ?? 'none';
}

/** Aliases with their destinations. */
export function aliasesOf(
  { emulator }: CommandScene,
  name = 'acme.example',
): Readonly<Record<string, string>> {
  const domain = emulator.store.dump().domains.find((one) => one.domain === name);
  return Object.fromEntries(domain?.aliases.map(({ alias, forward }) => [alias, forward]) ?? []);
}

export const BEFORE = { sales: 'ana@corp.example', info: 'ana@corp.example', old: 'dan@corp.example' };

export async function byHand(
  { emulator }: CommandScene,
  method: string,
  path: string,
  body: object,
  version: ApiVersion = 'v4',
): Promise<void> {
  const headers = { ...HAND, 'content-type': 'application/json' };
  const response = await fetch(`${emulator.urls[version]}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.text()).toBe(true);
}

export async function editAlias(scene: CommandScene, alias: string, forward: string): Promise<void> {
  const [acme] = scene.emulator.store.dump().domains;
  const id = acme?.aliases.find((one) => one.alias === alias)?.id;
  await byHand(scene, 'PUT', `/domains/acme.example/aliases/${id}`, { forward });
}
