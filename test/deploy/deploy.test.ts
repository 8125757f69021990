import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadManifest } from '../../src/core/manifest/load.ts';
import { isWorker } from '../../src/cli/commands/run/run-options.ts';
import { processContext } from '../../src/cli/context.ts';
import { execute } from '../../src/cli/execute.ts';
import { createProgram } from '../../src/cli/program.ts';
import { resolvePlaces } from '../../src/cli/settings/resolve-settings.ts';
import { parseStoreUrl } from '../../src/engine/state/postgres/store-url.ts';
import { createMetrics } from '../../src/service/status/metrics.ts';
import { IS_FULL } from '../support/share.ts';

const CONTEXT = processContext();
const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Resource {
  readonly kind: string;
  readonly data?: Record<string, string>;
  readonly spec?: never;
}

interface Kustomization {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resources: readonly string[];
}

const MODELS = {
  ConfigMap,
  Secret,
  Service,
  PersistentVolumeClaim,
  Deployment,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  ServiceMonitor,
} as const;
const resourcesIn = (file: string): readonly Resource[] =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Resource);

describe('Kubernetes', () => {
  const resources = resourcesIn('deploy/kubernetes.yaml');
  const files = globSync('deploy/kubernetes*.yaml', { cwd: ROOT }).sort();

  test.each(
    files.flatMap((file) => resourcesIn(file).map((resource) => [file, resource.kind, resource] as const)),
  )('%s: %s matches its published schema', (_file, kind, resource) => {
    const Model = MODELS[kind as keyof typeof MODELS];
    expect(() => new Model(resource as never).validate()).not.toThrow();
  });

  test('a field that the schema does not allow is noticed', () => {
    const wrong = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 'one' } };
    expect(() => new Deployment(wrong as never).validate()).toThrow(/replicas/);
  });

  test('the kustomization has everything that one daemon needs, once', () => {
    const [kustomization] = resourcesIn('deploy/kustomization.yaml') as unknown as [Kustomization];
    const { apiVersion, kind, resources: names, ...rest } = kustomization;
    expect([apiVersion, kind, rest]).toEqual(['kustomize.config.k8s.io/v1beta1', 'Kustomization', {}]);
    const kinds = names.flatMap((name) => resourcesIn(`deploy/${name}`)).map((one) => one.kind);
    expect(kinds.sort()).toEqual(
      Object.keys(MODELS)
        .filter((one) => one !== 'Job')
        .sort(),
    );
  });

  test('Service, policy, budget and monitor are about the pod of the Deployment, and its port', () => {
    const labels = { 'app.kubernetes.io/name': 'fwdsync' };
    const selected = (kind: string): unknown => {
      const all = ['network', 'monitor'].flatMap((name) => resourcesIn(`deploy/kubernetes-${name}.yaml`));
      const spec = all.find((one) => one.kind === kind)?.spec as unknown as Record<string, unknown>;
      return spec['podSelector'] ?? spec['selector'];
    };
    expect(selected('Service')).toEqual(labels);
    for (const kind of ['NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor'])
      expect(selected(kind)).toEqual({ matchLabels: labels });
    expect(read('deploy/kubernetes.yaml')).toContain('- name: status\n              containerPort: 9477');
    expect(read('deploy/kubernetes-network.yaml')).toContain('port: 9477, targetPort: status');
    expect(read('deploy/kubernetes-monitor.yaml')).toContain('port: status, path: /metrics');
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

describe('workers', () => {
  interface Named {
    readonly name: string;
  }
  interface Pod {
    readonly securityContext: object;
    readonly containers: readonly {
      readonly securityContext: object;
      readonly env: readonly (Named & { readonly value?: string })[];
    }[];
  }
  const podOf = (file: string): Pod => {
    const spec = resourcesIn(file).at(-1)?.spec as unknown as { readonly template: { readonly spec: Pod } };
    return spec.template.spec;
  };

  test.each(['deploy/kubernetes-fleet.yaml', 'deploy/kubernetes-publish.yaml'])(
    '%s: an ordinary user, nothing to write to',
    (file) => {
      const { securityContext, containers } = podOf(file);
      expect(securityContext).toMatchObject({ runAsNonRoot: true });
      expect(containers[0]?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
    },
  );

  test('the budget of disruptions, and the selector, are those of the pods', () => {
    const label = { 'app.kubernetes.io/name': 'fwdsync-worker' };
    for (const kind of ['PodDisruptionBudget', 'Deployment'])
      expect(resourcesIn('deploy/kubernetes-fleet.yaml')).toContainEqual(
        expect.objectContaining({
          kind,
          spec: expect.objectContaining({ selector: { matchLabels: label } }) as unknown,
        }),
      );
  });

  /** True if `run` is a worker in the image with these variables. */
  const runsWorker = (env: Readonly<Record<string, string>>): boolean => {
    const image = read('Dockerfile').matchAll(/(FWDSYNC_[A-Z_]+)=(\S+)/g);
    const ofImage = Object.fromEntries([...image].map(([, name = '', value]) => [name, value]));
    const places = resolvePlaces({}, { cwd: '/', env: { ...ofImage, ...env } });
    return isWorker(places, env['FWDSYNC_STORE_FILE'] ?? env['FWDSYNC_STORE'] ?? null);
  };

  test.each([
    ['deploy/kubernetes-fleet.yaml', true],
    ['deploy/kubernetes.yaml', false],
  ])('in %s the image runs a worker: %s', (file, expected) => {
    const variables = podOf(file).containers[0]?.env ?? [];
    expect(runsWorker(Object.fromEntries(variables.map(({ name, value = '' }) => [name, value])))).toBe(
      expected,
    );
  });

  test.each(['deploy/kubernetes-fleet.yaml', 'deploy/docker-compose.fleet.yaml'])(
    '%s: keys of accounts are where references of a manifest may read',
    (file) => {
      const text = read(file);
      const [, path = ''] = /key: \{ file: (\S+)\/\w+ \}/.exec(text) ?? [];
      expect(path).toMatch(/^\/run\/secrets\//);
      expect(text.split(path)).toHaveLength(3);
    },
  );

  test('in compose as well, over a socket that it shares with the database', () => {
    const compose = parse(read('deploy/docker-compose.fleet.yaml'), { merge: true }) as {
      services: { worker: { environment: Record<string, string>; volumes: string[] } };
    };
    const { environment, volumes } = compose.services.worker;
    expect(runsWorker(environment)).toBe(true);
    expect(parseStoreUrl(environment['FWDSYNC_STORE'] ?? '')).toMatchObject({
      ok: true,
      value: { host: '/var/run/postgresql', database: 'fwdsync', tls: 'off' },
    });
    expect(volumes).toContain('socket:/var/run/postgresql');
  });
});

describe('the commands in the files', () => {
  const FILES = [
    'docker-compose.yaml',
    'docker-compose.fleet.yaml',
    'kubernetes.yaml',
    'kubernetes-fleet.yaml',
    'kubernetes-publish.yaml',
  ];

  test.each(FILES)('%s: every command has the options that it is given', (file) => {
    const lines = [...read(`deploy/${file}`).matchAll(/(?:command|args): (\[.*\])$/gm)]
      .map(([, list = '']) => parse(list) as readonly string[])
      .filter(([command]) => command !== 'postgres');
    expect(lines).not.toEqual([]);
    for (const [command = '', ...args] of lines) {
      const { commands } = createProgram(CONTEXT, [command], { finish: () => {}, execute });
      const known = commands.flatMap(({ options }) => options.map(({ long }) => long));
      const given = args.filter((arg) => arg.startsWith('--'));
      expect([command, given.filter((flag) => !known.includes(flag))]).toEqual([command, []]);
    }
  });

  test.each([...FILES, 'fwdsync.service'])('%s: every variable is one that fwdsync reads', (file) => {
    const help = globSync('src/cli/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    const used = new Set([...read(`deploy/${file}`).matchAll(/FWDSYNC_[A-Z_]+/g)].map(([name]) => name));
    expect(used.size).toBeGreaterThan(1);
    expect([...used].filter((name) => !help.includes(name))).toEqual([]);
  });
});

test('compose: a read-only root file system, no capabilities, the key as a secret', () => {
  const { services } = parse(read('deploy/docker-compose.yaml')) as {
    services: { fwdsync: Record<string, unknown> };
  };
  expect(services.fwdsync).toMatchObject({ read_only: true, cap_drop: ['ALL'], secrets: ['fwdsync-key'] });
  expect(JSON.stringify(services)).not.toContain('FWDSYNC_API_KEY"');
});

test('image: nothing runs in its last stage, an ordinary user, a health check, labels that a release fills in', () => {
  const [, stage = ''] = read('Dockerfile').split(/^FROM \$BASE$/m);
  const instructions = [...stage.matchAll(/^([A-Z]+) (.*)$/gm)];
  expect(instructions.map(([, name]) => name)).not.toContain('RUN');
  expect(stage).toMatch(/^USER node$/m);
  expect(stage).toMatch(/^HEALTHCHECK .*\n\s+CMD \["node"/m);
  const labels = [...stage.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]+)"/g)];
  expect(Object.fromEntries(labels.map(([, name = '', value]) => [name, value]))).toMatchObject({
    source: 'https://github.com/fwdsync/fwdsync',
    version: '$VERSION',
    revision: '$SOURCE_COMMIT',
    created: '$CREATED',
  });
  const stated = [...read('Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name = '']) => name);
  for (const name of stated) expect(read('.github/workflows/release.yml')).toContain(`"${name}=`);
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

  test('each has a test that it is silent just below its limit, and that it fires', () => {
    const { tests } = parse(read('test/deploy/alerts.promtool.yaml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const cases = tests.flatMap((group) => group.alert_rule_test);
    const tested = (hasCount: (count: number) => boolean): ReadonlySet<string> =>
      new Set(cases.filter((one) => hasCount(one.exp_alerts.length)).map((one) => one.alertname));
    expect(tested((count) => count === 0)).toEqual(names);
    expect(tested((count) => count > 0)).toEqual(names);
  });

  const promtool = (...args: readonly string[]): string =>
    execFileSync('promtool', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  test('the rules are valid', () => {
    expect(promtool('check', 'rules', 'deploy/prometheus-alerts.yaml')).toContain(
      `${rules.length} rules found`,
    );
  });

  test.runIf(IS_FULL)('the tests of the rules hold', () => {
    expect(promtool('test', 'rules', 'test/deploy/alerts.promtool.yaml')).toContain('SUCCESS');
  });
});
