import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LeftOut } from '../../src/core/manifest/import/translated.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { createChance } from './support/chance.ts';
import { importTexts, routedTo, type ImportedManifest } from './support/import/imported.ts';
import { eximEnds, type EximFile } from './support/import/exim-oracle.ts';
import { randomExim, randomEximAddress } from './support/import/random-exim.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

const FILES = runs(300, 2);
const ADDRESSES = 50;

function importFiles(files: readonly EximFile[], engine: 'aliases' | 'rules'): ImportedManifest {
  const texts = files.map(({ text }, index) => ({ format: 'exim' as const, file: String(index), text }));
  const localDomains = files.flatMap(({ domains, keys }) => (keys === 'names' ? domains : []));
  return importTexts(texts, {
    engine,
    localDomains,
    fileDomains: files.map(({ domains }) => domains[0] ?? null),
  });
}

function isCovered(address: string, leftOut: readonly LeftOut[]): boolean {
  const [local = '', domain = ''] = address.toLowerCase().split('@');
  const [base] = local.split('+');
  return leftOut.some(({ address: said }) =>
    [`${local}@${domain}`, `${base}@${domain}`].includes(said ?? ''),
  );
}

test('a manifest routes mail as the alias files of Exim do, or says where not', async () => {
  const directory = await temporaryDirectory();
  const chance = createChance(PROVE_SEED);
  const seen = { addresses: 0, routed: 0, refused: 0, covered: 0, leftOut: 0 };
  for (let count = 0; count < FILES; count += 1) {
    const files = randomExim(chance);
    const place = join(directory, String(count));
    mkdirSync(place);
    const domains = new Set(files.flatMap((file) => file.domains));
    const all = Array.from({ length: ADDRESSES }, () => randomEximAddress(chance));
    const ends = eximEnds(
      all.filter((address) => domains.has(address.split('@')[1] ?? '')),
      { directory: place, files },
    );
    for (const engine of ['aliases', 'rules'] as const) {
      const imported = importFiles(files, engine);
      for (const [address, { to, isDiscarded, isPartlyLost, isRefused }] of ends) {
        const isSaid = isCovered(address, imported.leftOut);
        const isDropped = isDiscarded && to.length === 0 && !isPartlyLost;
        // A manifest may either drop or refuse mail that is dropped in part and refused in part.
        const isEither = isDropped && isRefused;
        const isRest = imported.leftOut.some(({ address: said }) => said === `*@${address.split('@')[1]}`);
        if (!isSaid && !isRest) {
          const routed = routedTo(address, imported.desired);
          const wanted = isDropped && (!isEither || routed === null) ? null : to;
          expect({ count, address, engine, to: routed }).toEqual({ count, address, engine, to: wanted });
        }
        seen.addresses += 1;
        if (isSaid || isRest) seen.covered += 1;
        else if (to.length > 0) seen.routed += 1;
        else seen.refused += 1;
      }
      seen.leftOut += imported.leftOut.length;
    }
  }
  console.info('import from Exim:', { files: FILES, ...seen });
  expect(seen.routed).toBeGreaterThan(seen.addresses / 10);
}, 3_600_000);
