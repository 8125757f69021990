import { describe, expect, test } from 'vitest';
import { planFault } from '../../../../src/cli/output/plan/plan-fault.ts';
import { DISCLOSE_ALL } from '../../../../src/core/model/destinations.ts';
import { planDocument, type PlanDocument } from '../../../../src/core/plan/document/document.ts';
import { renderPlanGithub } from '../../../../src/core/plan/render/github.ts';
import { renderPlanMarkdown } from '../../../../src/core/plan/render/markdown.ts';
import { parseJson, readPlan, sealPlan, type SavedPlan } from '../../../../src/core/plan/document/saved.ts';
import { PLAIN } from '../../../support/style.ts';
import { renderPlan } from '../../../../src/core/plan/render/render-text.ts';
import { ACME, aliasSection, NOW, planAliases } from '../support/build.ts';

const hash = (text: string): string => `${text.length}`;
const HASHES = { sha256: hash, hmac: hash };
const CHECKS = { sha256: hash, fault: planFault };
const SOURCE = { file: 'fwdsync.yaml', line: 3, column: 5 };

/** A plan in which no list is empty and all optional fields are set. */
function fullPlan(): PlanDocument {
  const made = planAliases(aliasSection({ a: 'b@x.example', z: false }), {
    a: 'a@x.example',
    z: 'z@x.example',
  });
  const plan = planDocument(made, {
    forecast: {
      requests: 3,
      writes: 2,
      seconds: 1,
      limit: 200,
      windowSeconds: 60,
      endpoints: [],
      phases: {
        reading: { requests: 4, seconds: 1 },
        writing: { requests: 2, seconds: 0.5 },
        verifying: { requests: 1, seconds: 0.5 },
      },
      total: { requests: 7, seconds: 2 },
    },
    createdAt: NOW,
    digest: 'sha256:0',
    disclosure: DISCLOSE_ALL,
    options: { paths: ['fwdsync.yaml'], domains: ['acme.example'], allowEmpty: ['acme.example/aliases'] },
    routes: [],
  });
  const [alias] = plan.changes;
  if (alias === undefined) throw new Error('a plan without changes');
  const guard = { scope: 'run', limit: 1, planned: 2, message: 'too many', refuses: true };
  return {
    ...plan,
    unchanged: { 'acme.example': 4 },
    changes: [
      ...plan.changes,
      { ...alias, action: 'delete', kind: 'domain', contents: { aliases: 1, rules: 2, credentials: 3 } },
      {
        ...alias,
        kind: 'rule',
        name: 'vip',
        fields: ['regex', 'scopes', 'forward', 'active', 'rank'],
        observed: { regex: 'a', scopes: ['subject'], forward: 'a@x.example', active: true, rank: 1 },
        desired: { regex: 'b', scopes: ['body'], forward: 'b@x.example', active: false, rank: 2 },
        after: 'first',
        via: SOURCE,
      },
    ],
    guards: [
      { ...guard, guard: 'max-deletes', allow: '--allow-deletes 2', allowed: false },
      { ...guard, guard: 'loop', allow: null, allowed: true },
    ],
    allowances: ['--allow-deletes 1'],
    withheld: [{ domain: ACME, part: 'deletes', reason: 'it could not be read' }],
    warnings: [
      {
        severity: 'warning',
        code: 'over-quota',
        message: 'the quota is used up',
        hint: 'ask',
        source: SOURCE,
      },
    ],
    routes: routesOfAllKinds(),
    problems: [
      { severity: 'error', code: 'rule-type-fixed', message: 'no', hint: 'change it', source: SOURCE },
    ],
    usage: [{ what: 'domains', used: 1, limit: 2 }],
  };
}

function routesOfAllKinds(): NonNullable<PlanDocument['routes']> {
  const ends = { from: ['a@x.example'], to: ['b@x.example'], unknown: [] };
  const by = { before: { kind: 'fallback', name: null }, after: { kind: 'alias', name: 'a' } } as const;
  const route = { domain: ACME, rule: null, was: null, via: [], ...ends, by } as const;
  return [
    { ...route, kind: 'reroute', address: 'a@acme.example', via: ['c@acme.example'] },
    { ...route, kind: 'renamed', address: 'new@acme.example', was: 'old@acme.example' },
    { ...route, kind: 'lost', address: '(a|b)@acme.example', pattern: true, to: [] },
    { ...route, kind: 'new', address: null, rule: 'vip', condition: { regex: 'a', scopes: ['body'] } },
    { ...route, kind: 'reroute', address: null, from: null, unknown: ['hub.example/aliases'] },
    { ...route, kind: 'reroute', address: null, otherwise: { ...ends, by, kind: 'reroute' } },
  ];
}

const RENDERERS: Readonly<Record<string, (plan: PlanDocument) => string>> = {
  text: (plan) => renderPlan(plan, { style: PLAIN, columns: 60, extent: 'all', routes: 'all', next: null }),
  markdown: (plan) => renderPlanMarkdown(plan, 'all'),
  github: renderPlanGithub,
};

type Edit = (value: unknown, path: readonly string[]) => unknown;

/** Returns the document with each part edited by `edit`. */
function mapParts(value: unknown, edit: Edit, path: readonly string[] = []): unknown {
  const edited = edit(value, path);
  if (edited !== value || typeof value !== 'object' || value === null) return edited;
  if (Array.isArray(value)) return value.map((part, at) => mapParts(part, edit, [...path, String(at)]));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, mapParts(part, edit, [...path, name])]),
  );
}

/** Fields that accept only certain words. */
const WORDS = new Set(['kind', 'action', 'part', 'version', 'severity', 'checksum', 'seal']);

describe('a forged plan with a matching checksum', () => {
  const ATTACKS = {
    'clears the terminal': '\u001b[2J\u009b2J',
    'begins a line of its own': 'x\r\n    ::error::forged',
    'is a command of GitHub': '::stop-commands::x',
    'is a command of GitHub after a word': 'x ::add-mask::y',
    'is an old command of GitHub': 'x##[add-path]/tmp',
    'turns the reading direction': '\u202eexample',
    'ends what it is in': '</summary></details>```|`',
  };

  test.each(
    Object.keys(RENDERERS).flatMap((format) =>
      Object.entries(ATTACKS).map(([what, text]) => [format, what, text] as const),
    ),
  )('%s: no field %s', (format, _, attack) => {
    const forged = mapParts(fullPlan(), (value, path) =>
      typeof value === 'string' && !WORDS.has(path.at(-1) ?? '') ? attack : value,
    ) as PlanDocument;
    const printed = RENDERERS[format]?.({ ...forged, unchanged: { [attack]: 1 } }) ?? '';
    expect(printed).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
    expect(printed).not.toContain('##[');
    const commands = printed.split('\n').filter((line) => line.trimStart().startsWith('::'));
    for (const line of commands) expect(line).toMatch(/^::(error|warning|notice) \S/);
    expect(commands.length).toBe(format === 'github' ? 5 : 0);
    expect(printed).not.toContain('<summary></summary>');
  });

  test('any value in any place: it is no plan, or every renderer shows it', () => {
    const sealed = JSON.parse(JSON.stringify(sealPlan(fullPlan(), HASHES))) as SavedPlan;
    const paths: string[][] = [];
    mapParts(sealed, (value, path) => {
      paths.push([...path]);
      return value;
    });
    const wrong: readonly unknown[] = [
      null,
      7,
      -1,
      'x',
      '',
      true,
      [],
      [7],
      [null],
      {},
      { toString: 7 },
      undefined,
    ];
    let shown = 0;
    for (const path of paths) {
      for (const value of wrong) {
        const at = path.join('/');
        const forged = mapParts(sealed, (part, place) => (place.join('/') === at ? value : part));
        const text = JSON.stringify(forged) ?? '';
        const read = readPlan(parseJson(text), CHECKS);
        if (read.kind === 'not-a-plan') continue;
        const { checksum: _, seal: __, ...rest } = JSON.parse(text) as SavedPlan;
        const again = readPlan(parseJson(JSON.stringify(sealPlan(rest, HASHES))), CHECKS);
        if (again.kind !== 'intact') throw new Error(`${at}: ${again.kind}`);
        for (const render of Object.values(RENDERERS)) render(again.plan);
        shown += 1;
      }
    }
    expect(paths.length).toBeGreaterThan(150);
    expect(shown).toBeGreaterThan(300);
  });
});
