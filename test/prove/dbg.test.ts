import { test } from 'vitest';
import { createChance } from './support/chance.ts';
import { importTexts, routedTo } from './support/import/imported.ts';
import { randomAddress, randomPostfix } from './support/import/random-postfix.ts';
test('dbg', () => {
  const chance = createChance(Number(process.env['PROVE_SEED']));
  const target = Number(process.env['MAP'] ?? 0);
  for (let c = 0; c <= target; c += 1) {
    const r = randomPostfix(chance);
    const addresses = Array.from({ length: 50 }, () => randomAddress(chance));
    if (c < target) continue;
    console.log(JSON.stringify({ f: r.localDomains, d: r.delimiter }));
    for (const [i, t] of r.tables.entries()) console.log(`--- ${i} ${t.type}\n` + t.lines.map((l, n) => `${n}: ${l.key}   ${l.value}`).join('\n'));
    const texts = r.tables.map(({ type, lines }, index) => ({ format: type === 'texthash' ? ('postfix' as const) : ('postfix-regexp' as const), file: String(index), text: lines.map(({ key, value }) => `${key} ${value}\n`).join('') }));
    const engine = (process.env['ENGINE'] ?? 'aliases') as 'aliases';
    const imp = importTexts(texts, { localDomains: r.localDomains, delimiter: r.delimiter, engine });
    console.log(imp.text);
    const a = process.env['ADDR'];
    if (a) console.log(a, routedTo(a, imp.desired));
    void addresses;
  }
});
