import { expect, test } from 'vitest';
import { KIND } from './kind/planting.ts';
import { SETTING } from './setting/planting.ts';
import { buildCopy, plant, plantedLines } from './support/copy.ts';
import { DOMAIN, travel, type Api, type Journey } from './support/journey.ts';

test('a new setting of a domain is a row beside the schemas and the emulator', async () => {
  const copy = await plant(SETTING);
  expect(await plantedLines(copy)).toStrictEqual({
    'core/kinds/domain/fields.ts': [
      "import { flag } from '../../fields/flag.ts';",
      '  greylisting: { codec: flag, optional: true },',
    ],
  });
  await buildCopy(copy);
  const greylisting = async (api: Api): Promise<unknown> =>
    ((await api('GET', ''))['domain'] as Readonly<Record<string, unknown>>)['greylisting'];
  const journey: Journey = {
    one: '    greylisting: false\n',
    two: '    greylisting: true\n',
    gone: null,
    change: { kind: 'domain', action: 'update', name: DOMAIN, fields: ['greylisting'] },
    blamed: DOMAIN,
    isListed: true,
    live: greylisting,
    values: [false, true],
    edit: (api) => api('PUT', '', { greylisting: true }),
  };
  await Promise.all([travel(copy, 'v4', journey), travel(copy, 'v3', journey)]);
}, 120_000);

test('a new kind is a folder and a line beside the schemas and the emulator', async () => {
  const copy = await plant(KIND);
  const { 'core/kinds/kinds.ts': line, ...others } = await plantedLines(copy);
  expect(line).toStrictEqual(["export { contact } from './contact/contact.ts';"]);
  expect(Object.keys(others).filter((file) => !file.startsWith('core/kinds/contact/'))).toStrictEqual([]);
  await buildCopy(copy);
  const contacts = async (api: Api): Promise<unknown> => (await api('GET', '/contacts'))['contacts'];
  const journey: Journey = {
    one: '    contacts: { office: { email: ana@corp.example } }\n',
    two: '    contacts:\n      office: {email: bob@corp.example, urgent: true}\n',
    gone: { section: 'contacts', lines: '    contacts: { office: { state: absent } }\n' },
    change: { kind: 'contact', action: 'update', name: 'office', fields: ['email', 'urgent'] },
    blamed: `office@${DOMAIN}`,
    isListed: false,
    live: contacts,
    values: [
      [{ name: 'office', email: 'ana@corp.example', urgent: false }],
      [{ name: 'office', email: 'bob@corp.example', urgent: true }],
    ],
    edit: (api) => api('PUT', '/contacts/office', { email: 'bob@corp.example', urgent: true }),
  };
  await Promise.all([travel(copy, 'v4', journey), travel(copy, 'v3', journey)]);
}, 120_000);
