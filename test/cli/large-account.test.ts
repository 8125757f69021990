import { expect, test } from 'vitest';
import { runs } from '../support/share.ts';
import { openWorkspace } from '../support/workspace.ts';

const DOMAINS = Array.from({ length: 50 }, (_, index) => `d${index}.example`);
const ALIASES = runs(4_000, 500);

/** Size of the old space. These aliases do not fit into it as rows. */
const MEBIBYTES = runs(64, 25);

test('an account that as rows would not fit into memory is planned, with its routes', async () => {
  const { run, write } = await openWorkspace(
    DOMAINS.map((domain, first) => ({
      domain,
      aliases: Array.from({ length: ALIASES }, (_, index) => {
        return { alias: `name-${index}`, forward: `person-${first * ALIASES + index}@corp.example` };
      }),
    })),
    { rateLimit: 100_000 },
  );
  // The manifest names almost none of the live items.
  const wanted = DOMAINS.map((domain, index) => {
    return `  ${domain}: { aliases: { name-7: [person-${index * ALIASES + 7}@corp.example, new@corp.example] } }\n`;
  });
  await write(`version: 1\ndomains:\n${wanted.join('')}`);
  const { code, stdout, stderr } = await run(['plan', '--format', 'json'], {
    // Node keeps as much of the old space free as the new space is large, so a new space that grows would count.
    env: { NODE_OPTIONS: `--max-old-space-size=${MEBIBYTES} --max-semi-space-size=1` },
  });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('heap') });
  expect(JSON.parse(stdout)).toMatchObject({
    summary: { update: 50, unmanaged: DOMAINS.length * (ALIASES - 1) },
    routes: expect.objectContaining({ length: 50 }),
  });
}, 180_000);
