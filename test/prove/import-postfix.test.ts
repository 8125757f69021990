import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceOf } from '../../src/core/manifest/read/text.ts';
import type { LeftOut } from '../../src/core/manifest/import/translated.ts';
import { converse } from '../emulator/smtp/support/client.ts';
import { startMailEmulator } from '../emulator/smtp/support/mail-emulator.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { createChance } from './support/chance.ts';
import { importTexts, routedTo, type ImportedManifest } from './support/import/imported.ts';
import { postfixEnds, type OracleEnds } from './support/import/postfix-oracle.ts';
import { randomAddress, randomPostfix, type RandomPostfix } from './support/import/random-postfix.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

const MAPS = runs(300, 4);
const ADDRESSES = 60;

function importRandom(random: RandomPostfix, engine: 'aliases' | 'rules'): ImportedManifest {
  const texts = random.tables.map(({ type, lines }, index) => ({
    format: type === 'texthash' ? ('postfix' as const) : ('postfix-regexp' as const),
    file: String(index),
    text: lines.map(({ key, value }) => `${key} ${value}\n`).join(''),
  }));
  return importTexts(texts, { localDomains: random.localDomains, delimiter: random.delimiter, engine });
}

/** True if an address belongs to an entry that the import leaves out. */
function isSaid(
  address: string,
  { used }: OracleEnds,
  delimiter: string,
  leftOut: readonly LeftOut[],
): boolean {
  const lower = address.toLowerCase();
  const [local = '', domain = ''] = lower.split('@');
  const base = local.includes('+') ? local.slice(0, local.indexOf('+')) : local.split(delimiter)[0];
  return leftOut.some(({ address: said, span }) => {
    const { file, line } = sourceOf(span);
    const isPattern = said !== null && (/^!?\//.test(said) || said === `*@${domain}`);
    if (isPattern) return used.has(`${file}:${line - 1}`);
    if (said === `${base}${delimiter}*@${domain}` && local !== base) return true;
    if (said === `*-request@${domain}`) return local.endsWith('-request');
    const labelled = [`${base}+*@${domain}`, `*+*@${domain}`];
    if (labelled.includes(said ?? '')) return local.includes('+');
    return said === lower || said === `${base}@${domain}`;
  });
}

/** True for one address, false for a pattern. */
function isOfAddress({ address }: LeftOut): boolean {
  return address !== null && /^[^/!*][^*]*@[\w.-]+$/.test(address);
}

test('a manifest routes mail as the maps of Postfix do, or says where not', async () => {
  const directory = await temporaryDirectory();
  const chance = createChance(PROVE_SEED);
  const seen = { addresses: 0, routed: 0, refused: 0, said: 0, leftOut: 0, falls: 0 };
  for (let count = 0; count < MAPS; count += 1) {
    const random = randomPostfix(chance);
    const place = join(directory, String(count));
    mkdirSync(place);
    const both = (['aliases', 'rules'] as const).map((engine) => ({
      engine,
      ...importRandom(random, engine),
    }));
    const domains = new Set<string>(both[0]?.desired.domains.keys());
    const addresses = Array.from({ length: ADDRESSES }, () => randomAddress(chance));
    const named = both.flatMap(({ leftOut }) =>
      leftOut.filter(isOfAddress).map(({ address }) => address ?? ''),
    );
    const known = [...addresses, ...named].filter((address) => domains.has(address.split('@')[1] ?? ''));
    const ends = postfixEnds(known, { ...random, directory: place, domains });
    for (const { engine, desired, leftOut } of both) {
      for (const address of addresses) {
        const oracle = ends.get(address);
        if (oracle === undefined) continue;
        const said = isSaid(address, oracle, random.delimiter, leftOut);
        const isLabel = address.includes('+') && random.delimiter !== '+';
        const to = said || isLabel ? oracle.to : routedTo(address, desired);
        const { used } = oracle;
        expect({ count, engine, address, used, to }).toEqual({ count, engine, address, used, to: oracle.to });
        seen.addresses += 1;
        seen[said ? 'said' : oracle.to.length > 0 ? 'routed' : 'refused'] += 1;
      }
      for (const { address, reason, fallsTo } of leftOut.filter(isOfAddress)) {
        const oracle = ends.get(address ?? '');
        const isReal = reason !== 'mailbox' || oracle?.isPartlyLost;
        expect({ count, engine, address, reason, isReal }).toEqual({
          count,
          engine,
          address,
          reason,
          isReal: true,
        });
        if (fallsTo === null) continue;
        const labelled = (address ?? '').replace('@', '+label@');
        const routed = [address ?? '', labelled].map((each) => routedTo(each, desired) ?? ['discard']);
        const wanted = fallsTo.map((each) => each.toLowerCase()).sort();
        expect({ count, engine, address, routed }).toEqual({
          count,
          engine,
          address,
          routed: expect.arrayContaining([wanted]),
        });
        seen.falls += 1;
      }
      seen.leftOut += leftOut.length;
    }
  }
  console.info('import from Postfix:', { maps: MAPS, ...seen });
  expect(seen.routed).toBeGreaterThan(seen.addresses / 10);
}, 3_600_000);

test('the emulator delivers by SMTP as Postfix would', async () => {
  const directory = await temporaryDirectory();
  const chance = createChance(PROVE_SEED + 1);
  const seen = { sent: 0, delivered: 0, refused: 0 };
  for (let count = 0; count < runs(60, 2); count += 1) {
    const random = { ...randomPostfix(chance), delimiter: '+' } as const;
    const { domains, leftOut } = importRandom(random, 'aliases');
    const names = new Set(domains.map(({ domain }) => domain));
    const all = Array.from({ length: ADDRESSES }, () => randomAddress(chance));
    const asked = all.filter((address) => names.has(address.split('@')[1] ?? ''));
    const ends = postfixEnds(asked, { ...random, directory: join(directory, String(count)), domains: names });
    const running = await startMailEmulator({
      domains: domains.map(({ domain, aliases }) => ({
        domain,
        aliases: aliases.map(({ name, forward }) => ({
          alias: name,
          forward: forward.join().replace('discard', 'null'),
        })),
      })),
    });
    const conversation = await converse(running.mail.smtp);
    await conversation.say('EHLO client.example');
    for (const [address, oracle] of ends) {
      if (isSaid(address, oracle, '+', leftOut)) continue;
      const [, answer = ''] = await conversation.raw(
        `MAIL FROM:<a@client.example>\r\nRCPT TO:<${address}>\r\n`,
        2,
      );
      const isAccepted = answer.startsWith('250');
      expect({ count, address, isAccepted }).toEqual({ count, address, isAccepted: oracle.to.length > 0 });
      seen.sent += 1;
      seen[isAccepted ? 'delivered' : 'refused'] += 1;
      if (!isAccepted) {
        await conversation.say('RSET');
        continue;
      }
      await conversation.say('DATA');
      const [end = ''] = await conversation.raw('Subject: x\r\n\r\nx\r\n.\r\n', 1);
      const logs = running.emulator.store.state.domains.get(address.split('@')[1] ?? '')?.logs.values() ?? [];
      const entries = [...logs].filter(({ message_id }) => message_id === end.split(' ').at(-1));
      const to = entries.flatMap(({ forward }) => forward?.email?.toLowerCase() ?? []).sort();
      expect({ count, address, to }).toEqual({ count, address, to: oracle.to });
    }
    conversation.end();
    await running.mail.queue.idle();
    await running.close();
  }
  console.info('import by SMTP:', seen);
}, 3_600_000);
