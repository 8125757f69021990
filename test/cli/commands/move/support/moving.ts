import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SeedDomain } from '../../../../../src/emulator/account/seed.ts';
import type { DnsState } from '../../../../../src/emulator/account/model.ts';
import type { GateDocument, MoveDocument } from '../../../../../src/service/move/move-document.ts';
import { startDns, type TestDns } from '../../../../support/dns/dns-server.ts';
import { commandScene, type CommandScene, type SceneOptions } from '../../../support/scene.ts';

export const ACME = 'acme.example';
export const OLD_MX = '10 mail.acme.example';
export const SERVICE_MX = ['10 mx1.improvmx.com', '20 mx2.improvmx.com'];

export const MANIFEST = `domains:
  acme.example:
    aliases:
      info: [ana@corp.example, ben@corp.example]
      sales: ana@corp.example
    expect:
      - { to: sales@acme.example, forward: ana@corp.example }
`;

/** The forwards of the old Postfix. */
export const VIRTUAL = `acme.example anything
info@acme.example ana@corp.example, ben@corp.example
sales@acme.example ana@corp.example
`;

/** An account that matches the manifest, without DNS records of the service. */
export const APPLIED: SeedDomain = {
  domain: ACME,
  forwarding_ready: false,
  send_ready: false,
  aliases: [
    { alias: 'info', forward: 'ana@corp.example,ben@corp.example' },
    { alias: 'sales', forward: 'ana@corp.example' },
  ],
};

/** A moving domain: an account, the old forwards in the file `virtual`, and the servers of its zone. */
export interface Moving {
  readonly scene: CommandScene;
  readonly dns: TestDns;
  /** Calls `move` with JSON. */
  readonly move: (...args: readonly string[]) => Promise<Asked>;
  /** Sets the result of the service's own check. */
  readonly check: (found: Partial<DnsState>) => void;
}

export interface Asked {
  readonly code: number;
  readonly states: Readonly<Record<GateDocument['gate'], GateDocument['state']>>;
  readonly gate: (name: GateDocument['gate']) => GateDocument;
}

export async function startMove(options: SceneOptions = {}): Promise<Moving> {
  const scene = await commandScene({ manifest: MANIFEST, seed: { domains: [APPLIED] }, ...options });
  await writeFile(join(scene.directory, 'virtual'), VIRTUAL);
  const dns = await startDns([ACME]);
  dns.put(ACME, 'MX', [OLD_MX]);
  return {
    scene,
    dns,
    check(found) {
      const record = scene.emulator.store.state.domains.get(ACME);
      if (record !== undefined) Object.assign(record.fields.dns, found);
    },
    async move(...args) {
      const line = ['move', ACME, '--resolver', dns.resolver, '--format', 'json', ...args];
      const { code, stdout, stderr } = await scene.run(line);
      if (stdout === '') throw new Error(stderr);
      const { gates } = JSON.parse(stdout) as MoveDocument;
      return {
        code,
        states: Object.fromEntries(gates.map(({ gate, state }) => [gate, state])) as Asked['states'],
        gate: (name) => gates.find(({ gate }) => gate === name) as GateDocument,
      };
    },
  };
}
