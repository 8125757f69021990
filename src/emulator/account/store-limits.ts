import { ok, type StoreResult } from './model.ts';
import type { DomainRecord, State } from './state.ts';

/** Whether the account's plan lets one more item in. A limit of 0 or null lets everything in. */
export function checkRoom(
  state: State,
  domain: DomainRecord | undefined,
  kind: 'domain' | 'alias' | 'rule',
): StoreResult<undefined> {
  const { limit, used, noun } = usage(state, domain, kind);
  if (limit === null || limit === 0 || used < limit) return ok(undefined);
  return {
    ok: false,
    error: {
      kind: 'over-limit',
      field: kind,
      message: `Your account is limited to ${limit} ${noun}.`,
    },
  };
}

interface Usage {
  readonly limit: number | null;
  readonly used: number;
  readonly noun: string;
}

function usage(state: State, domain: DomainRecord | undefined, kind: 'domain' | 'alias' | 'rule'): Usage {
  const { plan } = state.account;
  switch (kind) {
    case 'domain':
      return { limit: plan.domains_limit, used: state.domains.size, noun: 'domains' };
    case 'alias':
      return {
        limit: plan.aliases_limit,
        used:
          state.switches.aliasesLimitPer === 'account' ? state.aliasCount : (domain?.aliases.byId.size ?? 0),
        noun: 'aliases',
      };
    case 'rule':
      return {
        limit: plan.rules_limit,
        used: state.switches.rulesLimitPer === 'account' ? state.ruleCount : (domain?.rules.byId.size ?? 0),
        noun: 'rules',
      };
  }
}
