import type { Item, ModelAccount, ModelDomain, Step } from './model-account.ts';

export interface ModelRequest {
  readonly method: string;
  /** Path with `/v4` or `/v3` in front. */
  readonly target: string;
  readonly body: unknown;
}

const METHODS = { add: 'POST', update: 'PUT', delete: 'DELETE', 'delete-all': 'DELETE' } as const;
const LISTS = { alias: 'aliases', rule: 'rules' } as const;
/** An id that no alias has. */
const NO_ID = '999999999';

/** Returns the request of a step, as the API documents describe it. Ids of aliases come from the model. */
export function requestOf(account: ModelAccount, step: Step): ModelRequest {
  const root = `/${step.version}/domains`;
  const method = METHODS[step.verb];
  const [item] = step.items as [Item];
  switch (step.kind) {
    case 'domain':
      return step.verb === 'add'
        ? { method, target: root, body: { domain: step.domain, ...settings(item) } }
        : { method, target: `${root}/${step.domain}`, body: settings(item) };
    case 'credential':
      return credentialRequest(`${root}/${step.domain}/credentials`, step, item);
    case 'alias':
    case 'rule':
      return listRequest(`${root}/${step.domain}`, account.domains.get(step.domain), step);
  }
}

function settings(item: Item): object {
  const { notificationEmail: notification_email, whitelabel, webhook } = item;
  return { notification_email, whitelabel, webhook };
}

function credentialRequest(list: string, { verb }: Step, { key: username, password }: Item): ModelRequest {
  const method = METHODS[verb];
  return verb === 'add'
    ? { method, target: list, body: { username, password } }
    : { method, target: `${list}/${encodeURIComponent(username)}`, body: { password } };
}

function listRequest(domain: string, live: ModelDomain | undefined, step: Step): ModelRequest {
  const kind = step.kind === 'alias' ? 'alias' : 'rule';
  const name = LISTS[kind];
  const list = `${domain}/${name}`;
  const method = METHODS[step.verb];
  if (step.verb === 'delete-all') {
    const onV3 = kind === 'alias' ? `${list}/aliases-all` : `${domain}/rules-all`;
    return { method, target: `${step.version === 'v3' ? onV3 : list}?all=true`, body: undefined };
  }
  const fields = (item: Item): object =>
    kind === 'alias' ? aliasFields(live, step, item) : ruleFields(step, item);
  if (step.way === 'bulk') {
    const body = { [name]: step.items.map(fields), behavior: step.verb };
    return { method: 'POST', target: `${list}/bulk`, body };
  }
  const idOf = (item: Item): string => (kind === 'alias' ? aliasId(live, item.key) : item.key);
  if (step.way === 'batch') {
    const body = step.verb === 'delete' ? { ids: step.items.map(idOf) } : { [name]: step.items.map(fields) };
    return { method, target: `${list}/batch`, body };
  }
  const [item] = step.items as [Item];
  const byName = kind === 'alias' && step.version === 'v3' && step.addressed === 'by-name';
  const segment = encodeURIComponent(byName ? item.key : idOf(item));
  return { method, target: step.verb === 'add' ? list : `${list}/${segment}`, body: fields(item) };
}

function aliasFields(live: ModelDomain | undefined, { verb, way }: Step, { key, forward }: Item): object {
  return way === 'batch' && verb === 'update' ? { id: aliasId(live, key), forward } : { alias: key, forward };
}

function aliasId(live: ModelDomain | undefined, name: string): string {
  return live?.aliases.get(name.toLowerCase())?.id ?? NO_ID;
}

function ruleFields({ verb }: Step, item: Item): object {
  const { key: id, type, rank, active } = item;
  const isSent = verb === 'add' || item.config === 'sent';
  return { id, type, config: isSent ? configOf(item) : undefined, rank, active };
}

/** Returns the config of a rule. Only its destination varies. */
export function configOf({ type, forward }: Pick<Item, 'type' | 'forward'>): object {
  switch (type) {
    case 'alias':
      return { alias: 'jobs', forward };
    case 'regex':
      return { regex: '.*invoice.*', scopes: ['subject'], forward };
    case 'cel':
      return { expression: 'true', forward };
  }
}
