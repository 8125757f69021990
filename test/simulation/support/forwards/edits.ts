import fc from 'fast-check';
import type { DumpedRule } from '../../../../src/emulator/account/dump.ts';
import type { EmulatorCore } from '../../../../src/emulator/emulator.ts';
import { byHand } from '../../../support/by-hand.ts';
import { forwards, names, type ForwardsWorld } from './random-forwards.ts';

/** An edit by another user: changes or deletes one alias, or changes one rule's destinations or switches it on or off. */
export type Edit = { readonly domain: number; readonly forward: string } & (
  | { readonly kind: 'alias'; readonly name: string; readonly isDeleted: boolean }
  | { readonly kind: 'rule'; readonly nth: number; readonly isSwitched: boolean }
);

const place = { domain: fc.nat(2), forward: forwards };
export const someEdits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        ...place,
        kind: fc.constant('alias' as const),
        name: names,
        isDeleted: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...place,
        kind: fc.constant('rule' as const),
        nth: fc.nat(3),
        isSwitched: fc.boolean(),
      }),
    },
  ),
  { minLength: 1, maxLength: 2 },
);

/** Makes the edits as a user does in the dashboard. Edits of missing items do nothing. */
export async function makeEdits(
  core: EmulatorCore,
  { managed, unmanaged }: ForwardsWorld,
  edits: readonly Edit[],
): Promise<void> {
  const domains = [...managed, unmanaged].map(({ name }) => name);
  for (const edit of edits) {
    // The unmanaged domain is edited as often as the other two together.
    const domain = domains[edit.domain] ?? unmanaged.name;
    const live = core.store.dump().domains.find((one) => one.domain === domain);
    const path = `/v4/domains/${domain}`;
    if (edit.kind === 'alias') {
      const known = live?.aliases.find(({ alias }) => alias === edit.name);
      await editAlias(core, `${path}/aliases`, { ...edit, id: known?.id });
    } else {
      const rule = live?.rules[edit.nth];
      if (rule !== undefined) await editRule(core, `${path}/rules/${rule.id}`, { ...edit, rule });
    }
  }
}

type AliasEdit = Extract<Edit, { readonly kind: 'alias' }> & { readonly id: string | number | undefined };

async function editAlias(
  core: EmulatorCore,
  path: string,
  { id, name, forward, isDeleted }: AliasEdit,
): Promise<void> {
  if (id === undefined) return isDeleted ? undefined : byHand(core, 'POST', path, { alias: name, forward });
  return isDeleted
    ? byHand(core, 'DELETE', `${path}/${id}`)
    : byHand(core, 'PUT', `${path}/${id}`, { forward });
}

type RuleEdit = Extract<Edit, { readonly kind: 'rule' }> & { readonly rule: DumpedRule };

async function editRule(
  core: EmulatorCore,
  path: string,
  { rule: { config, rank, active }, forward, isSwitched }: RuleEdit,
): Promise<void> {
  const edited = isSwitched ? { config, active: !active } : { config: { ...config, forward }, active };
  return byHand(core, 'PUT', path, { ...edited, rank });
}
