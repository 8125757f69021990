/**
 * A model of an account, as simple as possible: Maps, and the effect of each operation. The emulator must agree
 * with it in both versions of the API.
 */
export interface ModelAccount {
  readonly email: string;
  readonly domains: Map<string, ModelDomain>;
}

export interface ModelDomain {
  notificationEmail: string;
  whitelabel: string | null;
  webhook: string | null;
  /** By name in lower case. */
  readonly aliases: Map<string, ModelAlias>;
  /** By id, in order of creation. */
  readonly rules: Map<string, ModelRule>;
  /** Usernames in order of creation. */
  readonly credentials: Set<string>;
}

export interface ModelAlias {
  readonly name: string;
  forward: string;
  /** Id from the service's answer. */
  id: string;
}

export interface ModelRule {
  readonly type: RuleType;
  forward: string;
  rank: number;
  active: boolean;
}

export type RuleType = 'alias' | 'regex' | 'cel';

/** One write. Fields that its kind does not have are ignored. */
export interface Item {
  /** Name of an alias, id of a rule, username of a credential. */
  readonly key: string;
  /** Destination of aliases and rules; `nowhere` means none. */
  readonly forward: string;
  readonly password: string;
  readonly type: RuleType;
  /** True if an update of a rule sends its configuration. Only batches may leave it out. */
  readonly config: 'sent' | 'left-out';
  readonly rank: number | undefined;
  readonly active: boolean | undefined;
  readonly notificationEmail: string | undefined;
  readonly whitelabel: string | null | undefined;
  readonly webhook: string | null | undefined;
}

export interface Step {
  readonly version: 'v3' | 'v4';
  readonly domain: string;
  readonly kind: 'domain' | 'alias' | 'rule' | 'credential';
  readonly verb: 'add' | 'update' | 'delete' | 'delete-all';
  readonly way: 'single' | 'batch' | 'bulk';
  /** The path segment that names an alias in v3. */
  readonly addressed: 'by-name' | 'by-id';
  readonly items: readonly Item[];
}

export type Outcome = 'done' | 'missing' | 'invalid';

/** Applies a step. Returns null if the domain does not exist. */
export function applyStep(account: ModelAccount, step: Step): readonly Outcome[] | null {
  if (step.kind === 'domain') return step.items.map((item) => applyToDomains(account, step, item));
  const domain = account.domains.get(step.domain);
  if (domain === undefined) return null;
  if (step.verb === 'delete-all') {
    const things = step.kind === 'alias' ? domain.aliases : domain.rules;
    const outcomes = Array.from({ length: things.size }, () => 'done' as const);
    things.clear();
    return outcomes;
  }
  switch (step.kind) {
    case 'alias':
      return step.items.map((item) => applyToAliases(domain, step, item));
    case 'rule':
      return step.items.map((item) => applyToRules(domain, step, item));
    case 'credential':
      return step.items.map((item) => applyToCredentials(domain, step, item));
  }
}

/** Rules in the order of evaluation; rules with the same rank in the order of creation. */
export function rulesInOrder(domain: ModelDomain): [string, ModelRule][] {
  return [...domain.rules].toSorted(([, a], [, b]) => a.rank - b.rank);
}

function applyToDomains(account: ModelAccount, { verb, version, domain: name }: Step, item: Item): Outcome {
  const domain = account.domains.get(name);
  if (verb === 'add') {
    if (domain !== undefined) return 'invalid';
    account.domains.set(name, newDomain(account, item));
    return 'done';
  }
  if (domain === undefined) return 'missing';
  if (verb === 'delete') {
    account.domains.delete(name);
    return 'done';
  }
  domain.notificationEmail = item.notificationEmail ?? account.email;
  domain.whitelabel = item.whitelabel ?? null;
  if (version === 'v3' && item.webhook !== undefined) domain.webhook = item.webhook;
  return 'done';
}

function newDomain({ email }: ModelAccount, item: Item): ModelDomain {
  return {
    notificationEmail: item.notificationEmail ?? email,
    whitelabel: item.whitelabel ?? null,
    webhook: null,
    aliases: new Map([['*', { name: '*', forward: email, id: '' }]]),
    rules: new Map(),
    credentials: new Set(),
  };
}

function applyToAliases({ aliases }: ModelDomain, { verb }: Step, { key, forward }: Item): Outcome {
  const lower = key.toLowerCase();
  const alias = aliases.get(lower);
  if (verb === 'add') {
    if (alias !== undefined || forward === 'nowhere') return 'invalid';
    aliases.set(lower, { name: key, forward, id: '' });
    return 'done';
  }
  if (alias === undefined) return 'missing';
  if (verb === 'delete') {
    aliases.delete(lower);
    return 'done';
  }
  if (forward === 'nowhere') return 'invalid';
  alias.forward = forward;
  return 'done';
}

function applyToRules({ rules }: ModelDomain, { verb, way }: Step, item: Item): Outcome {
  const rule = rules.get(item.key);
  if (verb === 'add') {
    if (rule !== undefined || item.forward === 'nowhere') return 'invalid';
    const { type, forward, rank = nextRank(rules), active = true } = item;
    rules.set(item.key, { type, forward, rank, active });
    return 'done';
  }
  if (rule === undefined) return 'missing';
  if (verb === 'delete') {
    rules.delete(item.key);
    return 'done';
  }
  const isSent = item.config === 'sent';
  if (isSent && (item.type !== rule.type || item.forward === 'nowhere')) return 'invalid';
  if (!isSent && way !== 'batch') return 'invalid';
  if (isSent) rule.forward = item.forward;
  rule.rank = item.rank ?? rule.rank;
  rule.active = item.active ?? rule.active;
  return 'done';
}

function nextRank(rules: ReadonlyMap<string, ModelRule>): number {
  return rules.size === 0 ? 1 : Math.max(...Array.from(rules.values(), ({ rank }) => rank)) + 1;
}

function applyToCredentials({ credentials }: ModelDomain, { verb }: Step, { key, password }: Item): Outcome {
  if (verb === 'add') {
    if (credentials.has(key) || password.length < 8) return 'invalid';
    credentials.add(key);
    return 'done';
  }
  if (!credentials.has(key)) return 'missing';
  if (verb === 'delete') credentials.delete(key);
  return verb === 'update' && password.length < 8 ? 'invalid' : 'done';
}
