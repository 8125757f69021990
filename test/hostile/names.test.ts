import { expect, test } from 'vitest';
import { loadManifest } from '../../src/core/manifest/load.ts';
import { openScene } from '../engine/apply/support/harness.ts';
import { domainOf } from '../engine/apply/support/replay.ts';
import { NAUGHTY, YAML_DOCUMENTS } from './support/corpora.ts';
import { everyNth, IS_FULL } from '../simulation/support/explore.ts';

// Names that are made to break programs, from a manifest to the account and back. Each name reaches exactly the resource
// that it names, or is refused before anything is sent.

const CANDIDATES = everyNth(4, [
  ...new Set([...NAUGHTY, ...YAML_DOCUMENTS.flatMap((text) => text.split('\n'))]),
]);

function manifestOf(section: string, entries: readonly string[]): string {
  return [
    'guards: { max_deletes: 100000, max_delete_percent: 100 }',
    'domains:',
    '  acme.example:',
    '    prune: true',
    `    ${section}:`,
    ...entries.map((entry) => `      ${entry}`),
  ].join('\n');
}

/** Names that a manifest accepts, in normalized form and each once. */
function accepted(section: string, entryOf: (name: string) => string): readonly string[] {
  const names = new Map<string, string>();
  for (const text of CANDIDATES) {
    const { desired, problems } = loadManifest(
      [{ file: 'names.yaml', text: `version: 1\n${manifestOf(section, [entryOf(text)])}\n` }],
      { references: 'optional', resolve: () => null, apiVersion: 'v4' },
    );
    expect(desired !== null || problems.some(({ severity }) => severity === 'error'), text).toBe(true);
    const [domain] = desired?.domains.values() ?? [];
    if (domain?.state !== 'present') continue;
    const entries = section === 'aliases' ? domain.aliases?.entries : domain.credentials?.entries;
    for (const [key, { name }] of entries ?? []) names.set(key, name);
  }
  return [...names.values()];
}

const ALIAS = (name: string): string => `${JSON.stringify(name)}: a@corp.example`;
const CREDENTIAL = (name: string): string => `${JSON.stringify(name)}: { password: { env: PASSWORD } }`;
const KEPT = { alias: 'kept', forward: 'k@corp.example' };

test.each(['v4', 'v3'] as const)('aliases on %s', { timeout: 120_000 }, async (version) => {
  const names = accepted('aliases', ALIAS);
  expect(names.length).toBeGreaterThan(IS_FULL ? 100 : 50);
  const kept = `${KEPT.alias}: ${KEPT.forward}`;
  const seed = { domains: [{ domain: 'acme.example', aliases: [KEPT] }] };
  const scene = await openScene({
    manifest: manifestOf('aliases', [kept, ...names.map(ALIAS)]),
    seed,
    version,
  });
  const added = await scene.run();
  expect(added.report.outcome, JSON.stringify(added.report.failed.slice(0, 3))).toBe('converged');
  const live = domainOf(added.end, 'acme.example').aliases.map(({ alias }) => alias);
  expect(live.toSorted()).toEqual([KEPT.alias, ...names].toSorted());
  const changed = names.map((name) => `${JSON.stringify(name)}: b@corp.example`);
  const updated = await scene.run({ manifest: manifestOf('aliases', [kept, ...changed]) });
  expect(updated.report).toMatchObject({ outcome: 'converged' });
  expect(updated.report.applied.length).toBe(names.length);
  const emptied = await scene.run({ manifest: manifestOf('aliases', [kept]) });
  expect(emptied.report).toMatchObject({ outcome: 'converged' });
  expect(domainOf(emptied.end, 'acme.example').aliases.map(({ alias }) => alias)).toEqual([KEPT.alias]);
});

test.each(['v4', 'v3'] as const)(
  'credentials on %s, whose names stand in paths',
  { timeout: 120_000 },
  async (version) => {
    const names = accepted('credentials', CREDENTIAL).slice(0, 80);
    const seed = {
      domains: [{ domain: 'acme.example', credentials: [{ username: 'kept', password: 'long enough' }] }],
    };
    const scene = await openScene({
      manifest: manifestOf('credentials', ['kept: {}', ...names.map(CREDENTIAL)]),
      seed,
      version,
    });
    const added = await scene.run();
    expect(added.report.outcome, JSON.stringify(added.report.failed.slice(0, 3))).toBe('converged');
    const usernames = domainOf(added.end, 'acme.example').credentials.map(({ username }) => username);
    expect(usernames.toSorted()).toEqual(['kept', ...names].toSorted());
    const emptied = await scene.run({ manifest: manifestOf('credentials', ['kept: {}']) });
    expect(emptied.report).toMatchObject({ outcome: 'converged' });
    expect(domainOf(emptied.end, 'acme.example').credentials.map(({ username }) => username)).toEqual([
      'kept',
    ]);
  },
);
