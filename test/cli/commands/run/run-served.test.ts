import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWorkspace, OWNER } from '../../../support/workspace.ts';
import { daemon, MANIFEST, place } from '../../support/daemon-process.ts';
import { PROGRAM } from '../../../support/program.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

test('a daemon that runs serves its health, readiness, metrics and status', async () => {
  const here = await place();
  const process = daemon(here);
  const { port } = await process.event('status.listening');
  await process.event('run.finished');
  const get = async (path: string): Promise<readonly [number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`);
    return [answer.status, await answer.text()];
  };
  expect(await get('/healthz')).toEqual([200, '{"alive":true}']);
  expect(await get('/readyz')).toEqual([200, expect.stringContaining('"ready":true')]);
  const [, status] = await get('/status');
  expect(JSON.parse(status)).toMatchObject({
    kind: 'fwdsync/status@1',
    accounts: [
      {
        name: 'default',
        domains: [
          { domain: 'acme.example', state: 'in-sync' },
          { domain: 'new.example', state: 'in-sync' },
        ],
      },
    ],
  });
  const [, metrics] = await get('/metrics');
  const requests = here.emulator.journal.entries().filter(({ endpoint }) => endpoint === '/account').length;
  const lines = [
    'fwdsync_build_info{version=',
    'fwdsync_ready{account="default"} 1',
    'fwdsync_last_run_timestamp_seconds{account="default"} 1',
    'fwdsync_run_duration_seconds_count{account="default",cause="sweep"} 1',
    'fwdsync_runs_total{account="default",cause="sweep",outcome="converged"} 1',
    'fwdsync_changes_applied_total{account="default",kind="alias",action="update"} 2',
    'fwdsync_changes_applied_total{account="default",kind="domain",action="add"} 1',
    'fwdsync_drift_items{account="default",action="delete"} 0',
    `fwdsync_api_requests_total{account="default",endpoint="GET /account",status="200"} ${requests}`,
    'fwdsync_api_wait_seconds_total{account="default"} 0',
    'fwdsync_api_budget_remaining{account="default",endpoint="GET /account"} 1',
    'fwdsync_manifest_problems{account="default",severity="error"} 0',
  ];
  expect(lines.filter((line) => !metrics.includes(line))).toEqual([]);
  expect(execFileSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' })).toBe('');
  expect(await process.end()).toBe(0);
});

test.each(
  everyNth(2, [
    ['for people', '', /\[\d\d:\d\d:\d\d\.\d+\] .*INFO/],
    ['as asked for', ' --log-format json', /\{"level":"info"/],
  ] as const),
)('on a terminal the log is %s', async (_, flags, expected) => {
  const here = await openWorkspace([{ domain: 'acme.example' }]);
  await here.write(`version: 1
api: { account: ${OWNER} }
domains: { acme.example: { aliases: { info: ana@corp.example } } }
`);
  const { code, output } = await here.terminal(`${PROGRAM} run --once${flags}`, '');
  expect([code, output]).toEqual([0, expect.stringMatching(expected)]);
  expect(output.includes('{"level"')).toBe(flags !== '');
});

test.runIf(IS_FULL)('a webhook that never answers holds up neither runs nor the end', async () => {
  const here = await place('version: 1\ndomains: { acme.example: 1 }\n');
  const asked = Promise.withResolvers<void>();
  const hook = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(hook, 'listening');
  onTestFinished(() => {
    hook.closeAllConnections();
    hook.close();
  });
  const { port } = hook.address() as AddressInfo;
  const process = daemon(here, [], { FWDSYNC_NOTIFY_URL: `http://127.0.0.1:${port}/secret-token` });
  await asked.promise;
  await writeFile(join(here.directory, 'fwdsync.yaml'), MANIFEST);
  await process.event('run.finished');
  expect(await process.end()).toBe(0);
});
