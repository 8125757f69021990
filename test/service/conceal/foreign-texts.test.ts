import { describe, expect, test } from 'vitest';
import { logDetails, logLine } from '../../../src/cli/commands/logs/logs-text.ts';
import { disclosing } from '../../../src/service/conceal/disclosing.ts';
import { safeTextWith } from '../../../src/service/delivery/safe-text.ts';
import { showText } from '../../../src/core/model/destinations.ts';
import { recognise, withReferences } from '../../../src/engine/state/fingerprints.ts';

const SALT = Buffer.from('salt');
const BOSS = 'th3.boss+private@secret-corp.example';
const SHOWN = { shown: '{ env: BOSS }', written: { env: 'BOSS' } };
const KNOWN = withReferences(new Map(), new Map([[BOSS, SHOWN]]), SALT);

/** Text that mail from any sender can put into the logs, if the client's filter accepts it. */
const HOSTILE: Readonly<Record<string, string>> = {
  'an address of one-letter parts': `${'a.'.repeat(4_000)}a@${'b.'.repeat(4_000)}b`,
  'addresses of as many parts as are searched': `${'a.'.repeat(11)}a@${'b.'.repeat(11)}b `.repeat(350),
  'many of them': `${'a.'.repeat(30)}a@${'b.'.repeat(120)}b `.repeat(50),
  'short ones': 'a.a@b.b '.repeat(2_000),
  'addresses in a chain': 'a.a@'.repeat(2_000),
  'webhooks in a chain': 'http://a.b/c.d?'.repeat(1_000),
  'no sign at all': 'a'.repeat(16_000),
  'signs alone': '@'.repeat(16_000),
  'dots behind a sign': `a@${'.'.repeat(15_000)}`,
  'white space': ' '.repeat(16_000),
  'white space with an end': `${' \t'.repeat(8_000)}x`,
  'combining characters': 'e\u0301@'.repeat(5_000),
};

describe.each(Object.entries(HOSTILE))('%s', (_, text) => {
  test('is shown, masked and searched for earlier values', () => {
    const disclose = disclosing({ references: new Map(), mask: new Map() }, (values) =>
      recognise(KNOWN, values, SALT),
    );
    const show = (part: string): string => showText(part, disclose(part));
    const entry = {
      id: '1',
      createdAt: null,
      sender: { email: text, name: null },
      recipient: null,
      forward: null,
      subject: text,
      transport: null,
      messageId: text,
      hostname: null,
      events: [{ status: 'BOUNCED', createdAt: null, code: 550, message: text, local: null, server: null }],
    };
    for (const shown of [logLine(entry, show), logDetails(entry, show), safeTextWith(disclose)(text)])
      expect(shown).toBeTypeOf('string');
  });
});

test('a value of an earlier run is recognised beside texts that are too long to be searched', () => {
  const disclose = disclosing({ references: new Map(), mask: false }, (values) =>
    recognise(KNOWN, values, SALT),
  );
  const text = `to=${BOSS}. ${'a.'.repeat(30)}a@${'b.'.repeat(40)}b ${BOSS.toUpperCase()}`;
  expect(showText(text, disclose(text))).toBe('to={ env: BOSS }. *** { env: BOSS }');
});

test('a value of an earlier run is recognised among hundreds of addresses, and not shown behind more than are searched', () => {
  const disclose = disclosing({ references: new Map(), mask: false }, (values) =>
    recognise(KNOWN, values, SALT),
  );
  const show = (text: string): string => showText(text, disclose(text));
  const many = Array.from({ length: 300 }, (_, index) => `to=<n${index}@corp.example>`).join(' ');
  expect(show(`${many} ${BOSS} gone`)).toBe(`${many} { env: BOSS } gone`);
  const hostile = `${'a.'.repeat(11)}a@${'b.'.repeat(11)}b `.repeat(30);
  const shown = show(`first ${BOSS}, ${hostile}${BOSS} gone`);
  expect(shown).toMatch(/^first \{ env: BOSS \}, .*\*\*\*$/);
  expect(shown).not.toContain('secret-corp');
});

test('masks find addresses wherever a text has them', () => {
  const mask = new Map<string, number>();
  const show = (text: string): string => showText(text, { references: new Map(), mask });
  expect(show('<ana@corp.example>,ben@corp.example:a@b@c.example')).toBe(
    '<***1@corp.example>,***2@corp.example:a@***3@c.example',
  );
});
