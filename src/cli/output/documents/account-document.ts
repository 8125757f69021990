import type { Account } from '../../../model/observed.ts';
import { escapeInvisible } from '../../../model/names.ts';

export interface AccountFacts {
  readonly account: Account;
  readonly api: { readonly url: string; readonly version: 'v4' | 'v3' };
  /** How many the account has. */
  readonly domains: number;
  /** null: this generation of the API does not tell. */
  readonly whitelabels: readonly string[] | null;
}

export interface AccountDocument {
  readonly kind: 'fwdsync/account@1';
  readonly api: AccountFacts['api'];
  readonly account: Account;
  readonly used: { readonly domains: number };
  readonly whitelabels: readonly string[] | null;
}

/** `fwdsync/account@1`: schemas/account.v1.schema.json. A limit of null is unknown or unlimited. */
export function accountDocument({ account, api, domains, whitelabels }: AccountFacts): AccountDocument {
  const { email, locked, lockReason, overQuota, plan } = account;
  return {
    kind: 'fwdsync/account@1',
    api,
    account: { email, locked, lockReason, overQuota, plan },
    used: { domains },
    whitelabels,
  };
}

/** A line a fact. */
export function accountText({ account, api, used, whitelabels }: AccountDocument): string {
  const { plan, locked, lockReason } = account;
  const rows: readonly (readonly [string, string])[] = [
    ['account', account.email],
    ['api', `${api.url} (${api.version})`],
    ['plan', plan.name ?? 'unknown'],
    ['domains', `${used.domains} of ${limit(plan.domainsLimit)}`],
    ['aliases', `up to ${limit(plan.aliasesLimit)}`],
    ['rules', `up to ${limit(plan.rulesLimit)}`],
    ['locked', locked ? `yes${lockReason === null ? '' : `, ${lockReason}`}` : 'no'],
    // v3: Account tells nothing of it.
    ...(api.version === 'v4' ? [['over quota', account.overQuota ? 'yes' : 'no'] as const] : []),
    ...(whitelabels === null ? [] : [['whitelabels', whitelabels.join(', ') || 'none'] as const]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(13)}${escapeInvisible(value)}\n`).join('');
}

function limit(value: number | null): string {
  return value === null ? 'an unknown number' : String(value);
}
