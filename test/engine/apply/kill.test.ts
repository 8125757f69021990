import { expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import { runs } from '../../support/share.ts';
import { openScene, type Scene } from './support/harness.ts';
import { domainOf, mailTo, replay, strayRoutes } from './support/replay.ts';

const ID = '00000000-0000-4000-8000-00000000000';

const manifest = `
guards: { max_deletes: 100, max_delete_percent: 100 }
domains:
  acme.example:
    notification_email: ops@corp.example
    prune: true
    aliases: { a: new@corp.example, b: same@corp.example, new1: n@corp.example, new2: n@corp.example }
    rules:
      - { id: ${ID}3, name: r3, alias: c, forward: three@corp.example }
      - { name: fresh, alias: d, forward: fresh@corp.example }
      - { id: ${ID}1, name: r1, alias: "a*", forward: one@corp.example }
      - { id: ${ID}2, name: r2, alias: e, forward: two@corp.example, active: false }
    credentials: { carol: { password: { env: PASSWORD } } }`;

const rule = (number: number, alias: string, forward: string) =>
  ({
    id: `${ID}${number}`,
    type: 'alias',
    config: { alias, forward: `${forward}@corp.example` },
    rank: number,
  }) as const;

const seed: Seed = {
  domains: [
    {
      domain: 'acme.example',
      aliases: ['a', 'b', 'old1', 'old2'].map((alias) => ({ alias, forward: 'same@corp.example' })),
      rules: [rule(1, 'a*', 'one'), rule(2, 'e', 'two'), rule(3, 'c*', 'three'), rule(4, 'd', 'four')],
      credentials: [{ username: 'dan', password: 'long enough' }],
    },
  ],
};

/**
 * Runs until the n-th check for permission to write. After it nothing happens: no request, no change of the memory, no report.
 * There is only one domain, so that no other request is in flight.
 */
async function killedAt(scene: Scene, moment: number): Promise<boolean> {
  let seen = 0;
  const objection = (): Promise<null> => {
    seen += 1;
    return seen >= moment ? Promise.reject(new Error('killed')) : Promise.resolve(null);
  };
  const survived = await scene.attempt({ ports: { objection } }).then(
    () => true,
    () => false,
  );
  return !survived;
}

test('killed before any request, and again while it recovers: the next run converges, and no mail was lost', async () => {
  for (let moment = 1; ; moment += runs(1, 4)) {
    const scene = await openScene({ manifest, seed });
    const start = domainOf(scene.account.emulator.store.dump(), 'acme.example');
    if (!(await killedAt(scene, moment))) break;
    const first = scene.account.writes();
    await killedAt(scene, 1 + (moment % 5));
    const second = scene.account.writes();
    const { report, writes, end } = await scene.run();
    expect([moment, report.failed, report.outcome]).toEqual([
      moment,
      [],
      report.outcome === 'unchanged' ? 'unchanged' : 'converged',
    ]);
    const acme = domainOf(end, 'acme.example');
    expect(acme.aliases.map(({ alias }) => alias)).toEqual(['a', 'b', 'new1', 'new2']);
    expect(acme.rules.map(({ config }) => config['alias'])).toEqual(['c', 'd', 'a*', 'e']);
    const moments = replay(start, [...first, ...second, ...writes]);
    const mails = ['a', 'ab', 'b', 'c', 'cc', 'd', 'e', 'old1', 'new1'].map((name) =>
      mailTo(`${name}@acme.example`),
    );
    expect([moment, strayRoutes(moments, mails, { otherRules: 'allowed' })]).toEqual([moment, []]);
  }
});
