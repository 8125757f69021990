import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadManifest } from '../../src/manifest/load.ts';
import { createMetrics } from '../../src/status/metrics.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Resource {
  readonly kind: string;
  readonly data?: Record<string, string>;
  readonly spec?: never;
}

const MODELS = { ConfigMap, Secret, PersistentVolumeClaim, Deployment } as const;

describe('Kubernetes', () => {
  const resources = parseAllDocuments(read('deploy/kubernetes.yaml')).map(
    (document) => document.toJS() as Resource,
  );

  test.each(resources.map((resource) => [resource.kind, resource] as const))(
    '%s matches its published schema',
    (kind, resource) => {
      const Model = MODELS[kind as keyof typeof MODELS];
      expect(() => new Model(resource as never).validate()).not.toThrow();
    },
  );

  test('a field that the schema does not allow is noticed', () => {
    const wrong = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 'one' } };
    expect(() => new Deployment(wrong as never).validate()).toThrow(/replicas/);
  });

  test('the manifest in the ConfigMap is valid', () => {
    const text = resources.find(({ kind }) => kind === 'ConfigMap')?.data?.['fwdsync.yaml'] ?? '';
    const loaded = loadManifest([{ file: 'fwdsync.yaml', text }], {
      references: 'required',
      resolve: () => null,
      apiVersion: null,
      cwd: ROOT,
    });
    expect(loaded.problems).toEqual([]);
  });

  test('one writer, an ordinary user, nothing to write to but the state', () => {
    const deployment = parseAllDocuments(read('deploy/kubernetes.yaml')).at(-1);
    const path = ['spec', 'template', 'spec'];
    expect(deployment?.getIn(['spec', 'replicas'])).toBe(1);
    expect(deployment?.getIn(['spec', 'strategy', 'type'])).toBe('Recreate');
    expect(deployment?.getIn([...path, 'securityContext', 'runAsNonRoot'])).toBe(true);
    expect(deployment?.getIn([...path, 'containers', 0, 'securityContext', 'readOnlyRootFilesystem'])).toBe(
      true,
    );
  });
});

test('compose: a read-only root file system, no capabilities, the key as a secret', () => {
  const { services } = parse(read('deploy/docker-compose.yaml')) as {
    services: { fwdsync: Record<string, unknown> };
  };
  expect(services.fwdsync).toMatchObject({ read_only: true, cap_drop: ['ALL'], secrets: ['fwdsync-key'] });
  expect(JSON.stringify(services)).not.toContain('FWDSYNC_API_KEY"');
});

describe('alerts and dashboard ask for what is served', () => {
  const fleet = { at: 0, accounts: [], workers: [], queue: { depth: 0, oldestWaitMs: null } };
  const metrics = createMetrics({
    version: '0.0.0',
    statuses: () => [],
    fleet: () => Promise.resolve(fleet),
  });
  const served = async (): Promise<ReadonlySet<string>> => {
    const names = [...(await metrics.render()).matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name ?? ''],
    );
    return new Set(names);
  };
  const used = (text: string): readonly string[] => [
    ...new Set([...text.matchAll(/\bfwdsync_[a-z_]+/g)].map(([name]) => name)),
  ];

  test('every metric that is served is explained', async () => {
    const text = read('docs/operations.md');
    const explained = new Set([...text.matchAll(/`(fwdsync_\w+)/g)].map(([, name]) => name));
    const types = (await metrics.render()).matchAll(/^# TYPE (fwdsync_\w+)/gm);
    expect([...types].map(([, name]) => name).filter((name) => !explained.has(name))).toEqual([]);
  });

  test.each(['deploy/prometheus-alerts.yaml', 'deploy/grafana-dashboard.json'])(
    '%s asks for metrics that are served',
    async (file) => {
      const names = await served();
      const asked = used(read(file));
      expect(asked.length).toBeGreaterThan(3);
      expect(asked.filter((name) => !names.has(name))).toEqual([]);
    },
  );
});

describe('alerts', () => {
  interface Rule {
    readonly alert: string;
    readonly annotations: { readonly runbook: string };
  }
  const rules = (
    parse(read('deploy/prometheus-alerts.yaml')) as { groups: { rules: Rule[] }[] }
  ).groups.flatMap((group) => group.rules);
  const names = new Set(rules.map(({ alert }) => alert));

  test('each stands in the table of its runbook, and nothing else does', () => {
    const text = read('docs/operations.md');
    const [, table = ''] = text.split('\n## Alerts\n');
    expect(new Set([...table.matchAll(/^\| (Fwdsync\w+) \|/gm)].map(([, name]) => name))).toEqual(names);
    expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
      rules.map(() => 'docs/operations.md#alerts'),
    );
  });

  test('of each it is tested that it is silent just under, and that it fires', () => {
    const { tests } = parse(read('test/deploy/alerts.promtool.yaml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const cases = tests.flatMap((group) => group.alert_rule_test);
    const tested = (hasCount: (count: number) => boolean): ReadonlySet<string> =>
      new Set(cases.filter((one) => hasCount(one.exp_alerts.length)).map((one) => one.alertname));
    expect(tested((count) => count === 0)).toEqual(names);
    expect(tested((count) => count > 0)).toEqual(names);
  });

  test('the rules and their tests hold', () => {
    const promtool = (...args: readonly string[]): string =>
      execFileSync('promtool', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    expect(promtool('check', 'rules', 'deploy/prometheus-alerts.yaml')).toContain(
      `${rules.length} rules found`,
    );
    expect(promtool('test', 'rules', 'test/deploy/alerts.promtool.yaml')).toContain('SUCCESS');
  });
});
