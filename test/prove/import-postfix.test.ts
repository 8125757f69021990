import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceOf } from '../../src/core/manifest/read/text.ts';
import type { LeftOut } from '../../src/core/manifest/import/translated.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { createChance } from './support/chance.ts';
import { importTexts, routedTo, type ImportedManifest } from './support/import/imported.ts';
import { postfixEnds, type OracleEnds } from './support/import/postfix-oracle.ts';
import { randomAddress, randomPostfix, type RandomPostfix } from './support/import/random-postfix.ts';
import { PROVE_SEED, runs } from './support/share.ts';

const MAPS = runs(300, 8);
const ADDRESSES = 50;

function importRandom(random: RandomPostfix, engine: 'aliases' | 'rules'): ImportedManifest {
  const texts = random.tables.map(({ type, lines }, index) => ({
    format: type === 'texthash' ? ('postfix' as const) : ('postfix-regexp' as const),
    file: String(index),
    text: lines.map(({ key, value }) => `${key} ${value}\n`).join(''),
  }));
  return importTexts(texts, { localDomains: random.localDomains, delimiter: random.delimiter, engine });
}

/** What is left out of which an address is a part. */
function coveredBy(address: string, { used }: OracleEnds, delimiter: string, leftOut: readonly LeftOut[]): readonly LeftOut[] {
  const lower = address.toLowerCase();
  const [local = '', domain = ''] = lower.split('@');
  const base = local.includes('+') ? local.slice(0, local.indexOf('+')) : local.split(delimiter)[0];
  return leftOut.filter(({ address: said, span, reason }) => {
    const { file, line } = sourceOf(span);
    const isPattern = said !== null && /^!?\//.test(said);
    if (isPattern) return used.has(`${file}:${line - 1}`);
    if (said === `*@${domain}`) return used.has(`${file}:${line - 1}`);
    if (said === `*-request@${domain}`) return local.endsWith('-request');
    if (reason === 'label') return local.includes('+') && [`${base}+*@${domain}`, `*+*@${domain}`].includes(said ?? '');
    return said === lower || said === `${base}@${domain}`;
  });
}

test('a manifest routes mail as the maps of Postfix do, or says where not', async () => {
  const directory = await temporaryDirectory();
  const chance = createChance(PROVE_SEED);
  const seen = { addresses: 0, routed: 0, refused: 0, covered: 0, leftOut: 0 };
  for (let count = 0; count < MAPS; count += 1) {
    const random = randomPostfix(chance);
    const place = join(directory, String(count));
    mkdirSync(place);
    const addresses = Array.from({ length: ADDRESSES }, () => randomAddress(chance));
    const domains = new Set<string>(importRandom(random, 'aliases').desired.domains.keys());
    const asked = addresses.filter((address) => domains.has(address.split('@')[1] ?? ''));
    const ends = postfixEnds(asked, { ...random, directory: place, domains });
    for (const engine of ['aliases', 'rules'] as const) {
      const imported = importRandom(random, engine);
      for (const [address, oracle] of ends) {
        const covered = coveredBy(address, oracle, random.delimiter, imported.leftOut);
        const routed = routedTo(address, imported.desired) ?? [];
        const isLabel = address.includes('+') && random.delimiter !== '+';
        if (covered.length === 0 && !isLabel) {
          expect({ map: count, address, engine, to: routed, used: [...oracle.used] }).toEqual({
            map: count,
            address,
            engine,
            to: [...oracle.to],
            used: [...oracle.used],
          });
        }
        seen.addresses += 1;
        if (covered.length > 0) seen.covered += 1;
        else if (oracle.to.length > 0) seen.routed += 1;
        else seen.refused += 1;
      }
      seen.leftOut += imported.leftOut.length;
    }
  }
  console.info('import from Postfix:', { maps: MAPS, ...seen });
  expect(seen.routed).toBeGreaterThan(seen.addresses / 20);
}, 3_600_000);
