import { test } from 'vitest';
import { createExplorer, everyNth, type Trial } from './support/explore.ts';
import { KINDS, MISHAPS } from './support/faults.ts';
import { scenarioOf } from './support/scenario.ts';

// A pattern or a catch-all takes mail that has no alias. It must not change before the new alias is in place.

const { faultless, explore } = createExplorer('wide aliases');

const scenario = scenarioOf(
  'a catch-all and a pattern that change beside new aliases',
  `domains:
  acme.example:
    aliases:
      info: new@corp.example
      desk: new@corp.example
      "(desk|help)": discard
      "*": other@corp.example`,
  {
    domains: [
      {
        domain: 'acme.example',
        aliases: [
          { alias: '(desk|help)', forward: 'old@corp.example' },
          { alias: '*', forward: 'old@corp.example' },
        ],
      },
    ],
  },
);

test('any fault at any request', { timeout: 120_000 }, async () => {
  const whole = await faultless(scenario);
  const trials = KINDS.flatMap((kind) =>
    Array.from({ length: 7 }, (_, index): Trial => {
      const strokes = new Map([[index + 1, { kind: 'mishap', mishap: MISHAPS[kind] ?? [] } as const]]);
      return { about: `${kind} at request ${index + 1}`, script: { strokes } };
    }),
  );
  await explore(scenario, whole, everyNth(11, trials));
});
