// Plans and applies a manifest from a program: `node examples/library.ts fwdsync.yaml`.
// The address comes from FWDSYNC_API_URL, the key from FWDSYNC_API_KEY.
import * as fs from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { apply, createClient, exportManifest, loadManifest, observe, type Clock } from 'fwdsync';

const [file = 'fwdsync.yaml'] = process.argv.slice(2);
const { FWDSYNC_API_URL: url = 'https://api.improvmx.com/v4', FWDSYNC_API_KEY: key = '' } = process.env;

const { desired, problems } = loadManifest([{ file, text: await fs.readFile(file) }], {
  references: 'required',
  resolve: (reference) => (reference.kind === 'env' ? (process.env[reference.name] ?? null) : null),
  apiVersion: 'v4',
});
for (const { severity, source, message } of problems) console.error(severity, source, message);
if (desired === null) process.exit(5);

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (milliseconds) => sleep(milliseconds),
};
const client = createClient({ url, version: 'v4', key, mode: 'read-write', clock, random: Math.random });
try {
  const ended = await apply({
    client,
    desired,
    stateDirectory: '.fwdsync',
    fs,
    clock,
    resolvePassword: ({ kind, ...reference }) =>
      kind === 'env' && 'name' in reference ? (process.env[reference.name] ?? null) : null,
    approve: ({ changes }) => {
      for (const { action, kind, domain, name } of changes) console.log(action, kind, name, 'of', domain);
      return changes.every(({ action }) => action !== 'delete');
    },
  });
  console.log(ended.kind === 'applied' ? ended.report.outcome : ended.kind);

  const observed = await observe(client, { desired: 'everything', clock });
  if (observed.ok) console.log(exportManifest(observed.value, { version: 'v4', api: 'stated' }));
} finally {
  await client.close();
}
