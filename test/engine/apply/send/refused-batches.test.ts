import { describe, expect, test } from 'vitest';
import { openScene, runScene, type RunResult } from '../support/harness.ts';

const names = ['a', 'b', 'c'];

/** Two domains, in each of which aliases are updated and deleted, three of either. */
function listed(): Parameters<typeof runScene>[0] {
  const domains = ['first.example', 'second.example'];
  const lines = domains.flatMap((domain) => [
    `  ${domain}:`,
    '    aliases:',
    ...names.map((name) => `      keep-${name}: new@corp.example`),
    ...names.map((name) => `      old-${name}: { state: absent }`),
  ]);
  return {
    version: 'v3',
    manifest: `domains:\n${lines.join('\n')}`,
    seed: {
      domains: domains.map((domain) => ({
        domain,
        aliases: names.flatMap((name) => [
          { alias: `keep-${name}`, forward: 'old@corp.example' },
          { alias: `old-${name}`, forward: 'old@corp.example' },
        ]),
      })),
    },
  };
}

function batchesOf({ writes }: RunResult): readonly string[] {
  return writes
    .filter(({ path }) => path.endsWith('/batch'))
    .map(({ method, path }) => `${method} ${path.split('/')[2]}`);
}

describe('batches of v3 that do not know decimal ids', () => {
  test('their items go one by one, and no batch by id is sent again', async () => {
    const result = await runScene({ ...listed(), switches: { v3ListedIdsInBatches: 'unknown' } });
    const { report, end, progress } = result;
    expect([report.outcome, report.failed, report.notKept]).toEqual(['converged', [], []]);
    // The two domains run in parallel: each has sent its first batch when the first answer arrives.
    expect(batchesOf(result)).toEqual(['PUT first.example', 'PUT second.example']);
    expect(progress.filter(({ kind }) => kind === 'batches-refused')).toEqual([
      {
        kind: 'batches-refused',
        which: 'by-id',
        support: { batches: 'allowed', batchesById: 'refused' },
      },
    ]);
    for (const { aliases } of end.domains) {
      expect(aliases.map(({ alias, forward }) => `${alias} ${forward}`)).toEqual(
        names.map((name) => `keep-${name} new@corp.example`),
      );
    }
  });

  test('one alias that is gone makes no difference to the others', async () => {
    const scene = await openScene(listed());
    const result = await scene.run({
      company: 'others',
      beforeApply: () => {
        const { emulator } = scene.account;
        const stop = emulator.onRequest(async ({ phase, method, path }) => {
          if (phase !== 'before' || method !== 'DELETE' || !path.endsWith('/batch')) return;
          stop();
          await fetch(`${emulator.urls.v3}/domains/first.example/aliases/old-a`, {
            method: 'DELETE',
            headers: { authorization: `Basic ${btoa('api:sk_test_0123456789')}` },
          });
        });
      },
    });
    expect(result.report.outcome).toBe('converged');
    expect(result.progress.some(({ kind }) => kind === 'batches-refused')).toBe(false);
    expect(batchesOf(result).filter((batch) => batch.startsWith('DELETE'))).toHaveLength(2);
  });

  test('an alias whose id is the name of another one is neither deleted nor said to be', async () => {
    const { report, end, writes } = await runScene({
      version: 'v3',
      manifest: 'domains:\n  acme.example:\n    aliases:\n      first: { state: absent }',
      seed: {
        domains: [
          {
            domain: 'acme.example',
            aliases: [
              { id: 7, alias: 'first', forward: 'ana@corp.example' },
              { id: 8, alias: '7', forward: 'ben@corp.example' },
            ],
          },
        ],
      },
      switches: { v3ListedIdsInBatches: 'unknown' },
    });
    expect(report.outcome).toBe('failed');
    expect(report.applied).toEqual([]);
    expect(report.failed).toMatchObject([{ action: 'delete', name: 'first' }]);
    expect(writes.every(({ path }) => path.endsWith('/batch'))).toBe(true);
    expect(end.domains[0]?.aliases.map(({ alias }) => alias)).toEqual(['7', 'first']);
  });
});

describe('a batch create that is refused as a whole', () => {
  const setup = {
    manifest: names
      .map((name) => `  ${name}.example:\n    aliases: { x: x@corp.example, y: y@corp.example }`)
      .reduce((text, domain) => `${text}\n${domain}`, 'domains:'),
    seed: { domains: names.map((name) => ({ domain: `${name}.example` })) },
  };
  const refusing = (code: number, times: number | 'always' = 'always') => ({
    ...setup,
    faults: [
      {
        match: { method: 'POST', path: '/batch$', times },
        do: { kind: 'status', code, body: { message: 'no batches here', errors: {} } },
      },
    ] as const,
  });

  test.each([400, 402, 403, 409, 422])(
    'with %i: its items go one by one, for the rest of the run',
    async (code) => {
      const scene = await openScene(setup);
      let answered = 0;
      const result = await scene.run({
        beforeApply: () => {
          scene.account.emulator.faults.push(...refusing(code).faults);
          scene.account.emulator.onRequest(({ phase, path }) => {
            if (phase === 'after' && path.endsWith('/batch')) answered += 1;
          });
        },
      });
      expect([result.report.outcome, result.report.failed]).toEqual(['converged', []]);
      expect(answered).toBeGreaterThan(0);
      expect(batchesOf(result).length).toBeLessThanOrEqual(names.length);
      expect(result.progress.filter(({ kind }) => kind === 'batches-refused')).toHaveLength(1);
      expect(result.writes.filter(({ path }) => path.endsWith('/aliases'))).toHaveLength(2 * names.length);
    },
  );

  test('with 404 for one domain: others continue in batches', async () => {
    const result = await runScene(refusing(404, 1));
    expect(result.report.outcome).toBe('converged');
    expect(result.progress.some(({ kind }) => kind === 'batches-refused')).toBe(false);
    expect(batchesOf(result)).toHaveLength(names.length);
  });

  test('with 401: nothing more is sent', async () => {
    const result = await runScene(refusing(401));
    expect(result.report).toMatchObject({ outcome: 'failed', stopped: { kind: 'unauthorised' } });
    expect(result.writes.every(({ path }) => path.endsWith('/batch'))).toBe(true);
  });

  test('with 429: it is sent again', async () => {
    const result = await runScene(refusing(429, 1));
    expect(result.report.outcome).toBe('converged');
    expect(batchesOf(result)).toHaveLength(names.length + 1);
  });
});
