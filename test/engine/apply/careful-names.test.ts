import { describe, expect, test } from 'vitest';
import { runScene, type RunResult } from './support/harness.ts';

/** Names that the service may or may not take for patterns. With either meaning no mail may get a wrong destination. */
const NAMES = ['sales.*', '*.sales'];

function brief({ report }: RunResult) {
  const names = (list: readonly { readonly name: string }[]): readonly string[] =>
    list.map(({ name }) => name);
  return { failed: names(report.failed), skipped: report.skipped.map(({ name, reason }) => [name, reason]) };
}

describe.each(NAMES)('%s, which may be a name or a pattern', (name) => {
  const address = name.replace('*', 'eu');

  test('does not change while an alias whose mail it would match is not there', async () => {
    const result = await runScene({
      manifest: `
domains:
  acme.example:
    aliases: { "${name}": new@corp.example, ${address}: eu@corp.example }`,
      seed: {
        domains: [{ domain: 'acme.example', aliases: [{ alias: name, forward: 'old@corp.example' }] }],
      },
      faults: [
        {
          match: { method: 'POST', path: 'aliases', times: 'always' },
          do: { kind: 'status', code: 400, body: { message: 'refused', errors: {} } },
        },
      ],
    });
    expect(brief(result)).toEqual({
      failed: [address],
      skipped: [[name, `alias ${address}, whose mail it matches meanwhile, was not added`]],
    });
  });

  test('does not go while a domain whose update failed forwards to what it would match', async () => {
    const result = await runScene({
      manifest: `
domains:
  a.example: { aliases: { desk: desk@corp.example } }
  b.example: { aliases: { "${name}": { state: absent } } }`,
      seed: {
        domains: [
          { domain: 'a.example', aliases: [{ alias: 'desk', forward: `${address}@b.example` }] },
          { domain: 'b.example', aliases: [{ alias: name, forward: 'x@corp.example' }] },
        ],
      },
      faults: [
        {
          match: { method: 'PUT', path: 'a\\.example', times: 'always' },
          do: { kind: 'status', code: 400, body: { message: 'refused', errors: {} } },
        },
      ],
    });
    expect(brief(result)).toEqual({
      failed: ['desk'],
      skipped: [[name, 'a.example may still forward there']],
    });
  });
});
