import { expect, test } from 'vitest';
import type { Dump } from '../../src/emulator/account/dump.ts';
import { everyNth } from './support/explore.ts';
import { endsDone, judge } from './support/judge.ts';
import { scenarioOf, type Scenario } from './support/scenario.ts';
import { simulate, type Simulation } from './support/simulate.ts';
import type { Exchange, Stroke } from './support/wire.ts';

// Another user edits an unmanaged setting right before any request, and the edit stays. Only an edit between an update and the read
// before it is lost, because the service has no conditional update.

const BY_HAND = 'by-hand@corp.example';

const BY_HAND_STROKE: Stroke = {
  kind: 'mishap',
  mishap: [
    {
      kind: 'edit',
      run: ({ state }) => {
        const domain = state.domains.get('acme.example');
        if (domain !== undefined) domain.fields.notification_email = BY_HAND;
      },
    },
  ],
};

function scenario(version: 'v3' | 'v4'): Scenario {
  return scenarioOf(
    `settings on ${version}`,
    `domains:
  acme.example:
    whitelabel: mail.partner.example
    prune: { aliases: true }
    aliases: { info: i@corp.example, new: n@corp.example }
  other.example:
    whitelabel: mail.partner.example
    aliases: { keep: k@corp.example, old: { state: absent } }`,
    {
      domains: [
        {
          domain: 'acme.example',
          notification_email: 'before@corp.example',
          aliases: [
            { alias: '*', forward: 'all@corp.example' },
            { alias: 'info', forward: 'i@corp.example' },
          ],
        },
        { domain: 'other.example', aliases: [{ alias: 'old', forward: 'x@corp.example' }] },
      ],
    },
    { version, flags: { allowUnrouted: ['*@acme.example'] } },
  );
}

function isUpdate({ method, path }: Exchange): boolean {
  return method === 'PUT' && path === '/domains/acme.example';
}

function withEdit(whole: Simulation): Simulation {
  const domains = whole.end.domains.map((domain) =>
    domain.domain === 'acme.example' ? { ...domain, notification_email: BY_HAND } : domain,
  );
  const end: Dump = { ...whole.end, domains };
  return { ...whole, end };
}

test.each(['v4', 'v3'] as const)('an edit before any request, on %s', async (version) => {
  const plain = scenario(version);
  const whole = await simulate(plain, { strokes: new Map() });
  expect([endsDone(whole), judge(whole, whole)]).toEqual([true, []]);
  const wanted = withEdit(whole);
  expect(whole.exchanges.some(isUpdate)).toBe(true);
  for (const [index, exchange] of everyNth(3, [...whole.exchanges.entries()])) {
    if (isUpdate(exchange)) continue;
    const edited = await simulate(plain, { strokes: new Map([[index + 1, BY_HAND_STROKE]]) });
    expect(judge(edited, wanted), `before request ${index + 1}`).toEqual([]);
  }
});
