import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverMessage } from '../../src/emulator/delivery/delivery.ts';
import { spf } from 'mailauth';
import { converse, type Conversation } from '../emulator/smtp/support/client.ts';
import { startMailEmulator, type MailEmulator } from '../emulator/smtp/support/mail-emulator.ts';
import { runTool } from '../emulator/smtp/support/tools.ts';
import { createChance, type Chance } from './support/chance.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

const WORDS = ['invoice', 'Größe', 'naïve', '東京', 'привет', 'a=b', '"quoted"', 'x', '100 %', 'café'];

let running: MailEmulator;

beforeAll(async () => {
  const rules = WORDS.map((word, index) => ({
    type: 'regex' as const,
    config: {
      regex: word,
      scopes: [['subject'], ['body'], ['subject', 'body'], ['sender']][index % 4],
      forward: `r${index}@corp.example`,
    },
  }));
  const lines = {
    type: 'cel' as const,
    config: { expression: 'body.contains("\\n")', forward: 'lines@corp.example' },
  };
  running = await startMailEmulator(
    {
      domains: [
        {
          domain: 'rules.example',
          routing_engine: 'rules',
          rules_fallback_email: null,
          rules: [...rules, lines],
        },
        {
          domain: 'alias.example',
          aliases: [
            { alias: 'sales', forward: 'ana@gmail.com, ben@corp.example' },
            { alias: 'team-(.+)', forward: '$1@corp.example' },
            { alias: 'void', forward: 'null' },
          ],
        },
      ],
    },
    { memoryBytes: 1 << 30 },
  );
});

afterAll(() => running.close());

interface RandomMessage {
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
}

function randomMessage(chance: Chance): RandomMessage {
  const text = (most: number, joint: string): string =>
    Array.from({ length: chance.number(most + 1) }, () => chance.pick(WORDS)).join(joint);
  return {
    to: chance.pick([
      'any@rules.example',
      'other@rules.example',
      'sales@alias.example',
      'SALES+label@alias.example',
      'team-eve@alias.example',
      'void@alias.example',
      'nobody@alias.example',
    ]),
    from: chance.pick(['', 'x@y.example', 'invoice@y.example', 'a=b@y.example']),
    subject: text(3, ' '),
    body: text(4, chance.pick(['\n', ' '])),
  };
}

const CHARSETS = ['utf-8', 'iso-8859-1', 'utf-16le', 'koi8-r'] as const;

/** Encodes a text in a charset that has all its letters. */
function encode(
  text: string,
  charset: (typeof CHARSETS)[number],
): { readonly charset: string; readonly bytes: Buffer } {
  if (charset === 'utf-16le') return { charset, bytes: Buffer.from(text, 'utf16le') };
  const isLatin = /^[\u0000-\u00FF]*$/.test(text);
  if (charset === 'iso-8859-1' && isLatin) return { charset, bytes: Buffer.from(text, 'latin1') };
  const KOI8 = new Map(
    Array.from('привет').map((letter, index) => [letter, [0xd0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4][index] ?? 0]),
  );
  if (charset === 'koi8-r' && /^[\u0000-\u007Fпривет]*$/.test(text)) {
    return {
      charset,
      bytes: Buffer.from(Array.from(text).map((letter) => KOI8.get(letter) ?? letter.charCodeAt(0))),
    };
  }
  return { charset: 'utf-8', bytes: Buffer.from(text) };
}

function quoted(bytes: Buffer): string {
  return [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Long texts take several encoded words; each holds whole letters. */
function headerText(text: string, chance: Chance): string {
  if (/^[ -~]*$/.test(text) && !text.includes('=') && chance.number(2) === 0) return text;
  const words = Array.from(text).reduce<string[]>((parts, letter, index) => {
    if (index % 8 === 0) parts.push('');
    parts[parts.length - 1] += letter;
    return parts;
  }, []);
  const folded = words.map((word) => {
    const { charset, bytes } = encode(word, chance.pick(CHARSETS));
    return chance.number(2) === 0
      ? `=?${charset}?B?${bytes.toString('base64')}?=`
      : `=?${charset}?q?${quoted(bytes)}?=`;
  });
  return folded.join('\r\n ');
}

function textPart(body: string, chance: Chance): string {
  const { charset, bytes } = encode(`${body}\n`.replaceAll('\n', '\r\n'), chance.pick(CHARSETS));
  const type = `Content-Type: text/plain; charset=${charset}\r\n`;
  if (chance.number(2) === 0) {
    return `${type}Content-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64').replaceAll(/.{1,60}/g, '$&\r\n')}`;
  }
  // Line breaks must be soft: a hard one is two bytes of text, which UTF-16 does not read as a line break.
  const soft = `${
    quoted(bytes)
      .match(/(?:=..){1,20}/g)
      ?.join('=\r\n') ?? ''
  }=`;
  return `${type}Content-Transfer-Encoding: quoted-printable\r\n\r\n${soft}`;
}

function nested(body: string, depth: number, chance: Chance): string {
  if (depth === 0) return textPart(body, chance);
  const boundary = `b${depth}-${chance.number(1_000_000)}`;
  const kind = chance.pick(['mixed', 'alternative', 'related']);
  const html = '\r\nContent-Type: text/html\r\n\r\n<p></p>\r\n';
  const second =
    kind === 'alternative'
      ? `--${boundary}${html}`
      : `--${boundary}\r\nContent-Type: image/png\r\nContent-Disposition: attachment\r\n\r\ninvoice\r\n`;
  return (
    `Content-Type: multipart/${kind};\r\n boundary="${boundary}"\r\n\r\npreamble invoice\r\n` +
    `--${boundary}\r\n${nested(body, depth - 1, chance)}\r\n${second}--${boundary}--\r\n`
  );
}

async function sendAll(conversation: Conversation, message: RandomMessage, chance: Chance): Promise<string> {
  const [, recipient = ''] = await conversation.raw(
    `MAIL FROM:<${message.from}>\r\nRCPT TO:<${message.to}>\r\n`,
    2,
  );
  if (!recipient.startsWith('250')) {
    await conversation.say('RSET');
    return 'refused';
  }
  await conversation.say('DATA');
  const subject = `Subject: ${headerText(message.subject, chance)}\r\n`;
  const raw = `From: <f@y.example>\r\n${subject}MIME-Version: 1.0\r\n${nested(message.body, chance.number(4), chance)}`;
  const [answer = ''] = await conversation.raw(`${raw.replaceAll(/^\./gm, '..')}\r\n.\r\n`, 1);
  const id = answer.split(' ').at(-1);
  const domain = running.emulator.store.state.domains.get(message.to.split('@')[1] ?? '');
  const entries = [...(domain?.logs.values() ?? [])].filter(({ message_id }) => message_id === id);
  return entries.flatMap(({ forward }) => forward?.email ?? []).join();
}

test('routing by SMTP equals the delivery of the API in every encoding', async () => {
  const chance = createChance(PROVE_SEED);
  const conversation = await converse(running.mail.smtp);
  await conversation.say('EHLO client.example');
  const seen = { refused: 0, discarded: 0, delivered: 0 };
  for (let count = 0; count < runs(10_000, 40); count += 1) {
    const message = randomMessage(chance);
    const delivered = deliverMessage(running.emulator.store.state, message);
    if (!delivered.ok) throw new Error('the domain is there');
    const { route, destinations } = delivered.value;
    const wanted = route.kind === 'refused' ? 'refused' : destinations.join();
    expect({ ...message, got: await sendAll(conversation, message, chance) }).toEqual({
      ...message,
      got: wanted,
    });
    seen[wanted === 'refused' ? 'refused' : wanted === '' ? 'discarded' : 'delivered'] += 1;
    if (count % 100 === 99)
      for (const domain of running.emulator.store.state.domains.values()) domain.logs.clear();
  }
  conversation.end();
  await running.mail.queue.idle();
  console.info('mail by SMTP:', seen);
}, 3_600_000);

const SPF_CASES = `
import sys, json, spf
world, cases = json.load(sys.stdin)
def lookup(name, qtype, tcpfallback=True, timeout=30):
    values = world.get(name.lower().rstrip('.'), {}).get(qtype, [])
    found = []
    for value in values:
        if qtype in ('TXT', 'SPF'): found.append(((name, qtype), (value.encode(),)))
        elif qtype == 'MX':
            priority, host = value.split()
            found.append(((name, qtype), (int(priority), host)))
        elif qtype == 'A': found.append(((name, qtype), value))
        elif qtype == 'AAAA':
            import ipaddress
            found.append(((name, qtype), ipaddress.ip_address(value).packed))
    return found
spf.DNSLookup = lookup
print(json.dumps([spf.check2(i=c['ip'], s=c['sender'], h=c['helo'])[0] for c in cases]))
`;

test('SPF results agree with python3-spf', async () => {
  const chance = createChance(PROVE_SEED);
  const mechanisms = [
    'ip4:192.0.2.0/24',
    'ip4:198.51.100.7',
    'ip6:2001:db8::/32',
    'a',
    'mx',
    'a:host.example',
    'mx:mail.example',
    'include:inner.example',
    'include:none.example',
    'exists:%{ir}.list.example',
    'redirect=inner.example',
    'bogus:',
    'ip4:300.1.1.1',
  ];
  const records = Array.from({ length: 25 }, () => {
    const terms = Array.from(
      { length: chance.number(4) },
      () => chance.pick(['', '', '-', '~', '?']) + chance.pick(mechanisms),
    );
    const fixed = terms.map((term) => term.replace(/^[-~?](?=redirect)/, ''));
    return ['v=spf1', ...fixed, ...chance.pick([['-all'], ['~all'], ['?all'], []])].join(' ');
  });
  const world: Record<string, Record<string, string[]>> = {
    'host.example': { A: ['203.0.113.5'] },
    'mail.example': { MX: ['10 host.example'] },
    'inner.example': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
    '7.100.51.198.list.example': { A: ['127.0.0.2'] },
    ...Object.fromEntries(
      records.map((record, index) => [
        `s${index}.example`,
        { TXT: [record], A: ['192.0.2.77'], MX: ['5 host.example'] },
      ]),
    ),
  };
  const cases = Array.from({ length: 100 }, (_, index) => ({
    ip: chance.pick(['192.0.2.9', '198.51.100.7', '203.0.113.5', '2001:db8::1', '192.0.2.77', '10.0.0.1']),
    sender: `user@s${index % 27}.example`,
    helo: 'client.example',
  }));
  running.emulator.store.state.world = world;
  const asked = (name: string, type: string): Promise<string[] | string[][]> =>
    running.mail.world(name, type);
  const ours: string[] = [];
  for (const each of cases)
    ours.push((await spf({ ...each, mta: 'mx', resolver: asked, strict: true })).status.result);
  const theirs = await runTool('/usr/bin/python3', ['-c', SPF_CASES], JSON.stringify([world, cases]));
  const names = { permerror: 'permerror', temperror: 'temperror', unknown: 'permerror', error: 'temperror' };
  const wanted = (JSON.parse(theirs.output) as string[]).map(
    (result) => names[result as keyof typeof names] ?? result,
  );
  expect(
    cases.map((each, index) => ({
      ...each,
      record: world[each.sender.split('@')[1] ?? '']?.['TXT'],
      result: ours[index],
    })),
  ).toEqual(
    cases.map((each, index) => ({
      ...each,
      record: world[each.sender.split('@')[1] ?? '']?.['TXT'],
      result: wanted[index],
    })),
  );
});
