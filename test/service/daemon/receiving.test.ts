import { expect, test } from 'vitest';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { Observed } from '../../../src/core/model/observed.ts';
import { createReceivingWatch, type ReceivingWatch } from '../../../src/service/daemon/receiving.ts';
import { createWorld, MINUTE, type StartOptions, type World } from '../../engine/support/world.ts';

const ACME = 'acme.example' as DomainName;
const MANIFEST = `domains:
  acme.example: { aliases: { info: ops@corp.example } }
  new.example: { aliases: { info: ops@corp.example } }`;

/** A state in memory that keeps every version of its texts. */
function stateOf(place: string) {
  const kept = { text: null as string | null };
  return {
    kept,
    state: {
      place,
      receiving: {
        read: () => Promise.resolve(kept.text),
        write: (text: string) => {
          kept.text = text;
          return Promise.resolve({ ok: true, value: undefined } as const);
        },
      },
    },
  };
}

function listOf(forwardingReady?: boolean): Pick<Observed, 'domains'> {
  const ready = forwardingReady === undefined ? {} : { forwardingReady };
  return { domains: new Map([[ACME, { domain: ACME, createdAt: null, readAt: null, ...ready }]]) };
}

const opened = stateOf('a');

/** Returns the value and the changes after each of these reads. */
async function after(
  reads: readonly (boolean | undefined)[],
  watch: ReceivingWatch = createReceivingWatch(),
  { state } = stateOf('a'),
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const ready of reads) {
    await watch.read(listOf(ready), state);
    const changes = watch.takeChanges().map(({ receives }) => receives);
    seen.push([watch.values().get(ACME), ...changes]);
  }
  return seen;
}

test('a domain stops, and receives again, when two reads in a row say so', async () => {
  expect(await after([true, false, true, false, false, false, true, false, true, true])).toEqual([
    ['yes'],
    ['yes'],
    ['yes'],
    ['yes'],
    ['stopped', false],
    ['stopped'],
    ['stopped'],
    ['stopped'],
    ['stopped'],
    ['yes', true],
  ]);
});

test('a domain that never received mail is no event, and neither is its first mail', async () => {
  expect(await after([false, false, false, true])).toEqual([['never'], ['never'], ['never'], ['yes']]);
});

test('a value that the service does not show changes nothing', async () => {
  expect(await after([undefined, true, undefined, false, undefined, false])).toEqual([
    [undefined],
    ['yes'],
    ['yes'],
    ['yes'],
    ['yes'],
    ['stopped', false],
  ]);
});

test('a part of the list is no read, and another process goes on from the state', async () => {
  const first = createReceivingWatch();
  await after([true, false], first, opened);
  await first.read({ ...listOf(false), partial: true }, opened.state);
  expect(first.takeChanges()).toEqual([]);
  expect(await after([false], createReceivingWatch(), opened)).toEqual([['stopped', false]]);
  expect(await after([false], createReceivingWatch(), opened)).toEqual([['stopped']]);
  opened.kept.text = '{"kind":"fwdsync/receiving@1","domains":[["acme.example","perhaps"],7]';
  expect(await after([false], createReceivingWatch(), opened)).toEqual([['never']]);
});

function receive({ core }: World, isReady: boolean): void {
  const domain = core.store.state.domains.get(ACME);
  if (domain !== undefined) domain.fields.forwarding_ready = isReady;
}

const FORMS: readonly (readonly [string, StartOptions])[] = [
  ['as v4 lists it', {}],
  ['by the list of v3', { drift: 'quick' }],
  ['in the mode observe', { mode: 'observe' }],
];

test.each(FORMS)('a daemon reports a domain that stops, and writes nothing, %s', async (_, options) => {
  const world = await createWorld({
    seed: {
      domains: [
        { domain: ACME, aliases: [{ alias: 'info', forward: 'ops@corp.example' }] },
        {
          domain: 'new.example',
          forwarding_ready: false,
          aliases: [{ alias: 'info', forward: 'ops@corp.example' }],
        },
      ],
    },
    manifest: MANIFEST,
  });
  const first = world.start(options);
  const events = (): readonly string[] =>
    world.events.flatMap((event) => ('domain' in event ? [`${event.kind} ${event.domain}`] : []));
  await world.clock.pass(11 * MINUTE);
  const receiving = ({ loop }: typeof first): readonly unknown[] =>
    [...loop.status().domains.values()].map((domain) => domain.receiving);
  expect(receiving(first)).toEqual(['yes', 'never']);
  const requests = world.core.journal.total();
  receive(world, false);
  await world.clock.pass(5 * MINUTE);
  expect([receiving(first), events()]).toEqual([['yes', 'never'], []]);
  await first.stop();
  // The state has the value of the last read, so the next read by another process is the second in a row.
  const second = world.start(options);
  await world.clock.pass(MINUTE);
  expect(receiving(second)).toEqual(['stopped', 'never']);
  expect(events()).toEqual(['domain-not-receiving acme.example']);
  expect(world.events).toContainEqual(
    expect.objectContaining({ kind: 'domain-not-receiving', source: expect.objectContaining({ line: 3 }) }),
  );
  receive(world, true);
  await world.clock.pass(15 * MINUTE);
  expect(receiving(second)).toEqual(['yes', 'never']);
  expect(events()).toEqual(['domain-not-receiving acme.example', 'domain-receiving acme.example']);
  await second.stop();
  expect(
    world.core.journal.entries().filter(({ number, method }) => number > requests && method !== 'GET'),
  ).toEqual([]);
});
