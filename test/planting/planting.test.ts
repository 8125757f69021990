import { expect, test } from 'vitest';
import { KIND } from './kind/planting.ts';
import { SETTING } from './setting/planting.ts';
import { buildCopy, copySources, plant, plantedLines } from './support/copy.ts';
import { DOMAIN, travel, type Api, type Journey } from './support/journey.ts';

test('a new setting is a row and a new kind a folder and a line, beside the schemas and the emulator', async () => {
  const copy = await copySources();
  await plant(copy, SETTING);
  await plant(copy, KIND);
  const {
    'core/kinds/domain/fields.ts': row,
    'core/kinds/kinds.ts': line,
    ...others
  } = await plantedLines(copy);
  expect(row).toStrictEqual([
    "import { flag } from '../../fields/flag.ts';",
    '  greylisting: { codec: flag, optional: true },',
  ]);
  expect(line).toStrictEqual(["export { contact } from './contact/contact.ts';"]);
  expect(Object.keys(others).filter((file) => !file.startsWith('core/kinds/contact/'))).toStrictEqual([]);
  await buildCopy(copy);
  const journeys = [journeyOfSetting(), journeyOfKind()];
  const travels = journeys.flatMap((journey) => [travel(copy, 'v4', journey), travel(copy, 'v3', journey)]);
  await Promise.all(travels);
}, 240_000);

function journeyOfSetting(): Journey {
  const greylisting = async (api: Api): Promise<unknown> =>
    ((await api('GET', ''))['domain'] as Readonly<Record<string, unknown>>)['greylisting'];
  return {
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
}

function journeyOfKind(): Journey {
  const contacts = async (api: Api): Promise<unknown> => (await api('GET', '/contacts'))['contacts'];
  return {
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
}
