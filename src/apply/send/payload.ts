import type { AliasAddition, AliasUpdate, RuleAddition, RuleUpdate } from '../../api/client.ts';
import type { CredentialName } from '../../model/names.ts';
import type { AliasChange, CredentialChange, DomainChange } from '../../model/plan.ts';
import { type Section, KINDS } from '../../model/kinds.ts';
import type { DomainState } from '../../model/resources.ts';
import type { WriteItem } from '../../plan/requests/order.ts';

/** What is sent for one item, in the client's terms. */
export type Payload = DomainPayload | AliasPayload | RuleWrite | CredentialPayload;

export type DomainPayload =
  | { readonly kind: 'domain'; readonly action: 'add' | 'update'; readonly state: DomainState }
  | { readonly kind: 'domain'; readonly action: 'delete' };

export type AliasPayload =
  | { readonly kind: 'alias'; readonly action: 'add'; readonly alias: AliasAddition }
  | { readonly kind: 'alias'; readonly action: 'update'; readonly alias: AliasUpdate }
  | { readonly kind: 'alias'; readonly action: 'delete'; readonly id: string };

export type RuleWrite =
  | { readonly kind: 'rule'; readonly action: 'add'; readonly rule: RuleAddition }
  | { readonly kind: 'rule'; readonly action: 'update'; readonly rule: RuleUpdate }
  | { readonly kind: 'rule'; readonly action: 'delete'; readonly id: string };

export type CredentialPayload =
  | {
      readonly kind: 'credential';
      readonly action: 'add' | 'update';
      readonly username: CredentialName;
      readonly password: string;
    }
  | { readonly kind: 'credential'; readonly action: 'delete'; readonly username: CredentialName };

/** What a change does not hold: asked for credentials and for domains only. */
export interface PayloadSources {
  readonly password: () => string;
  /** The managed settings of the domain. */
  readonly settings: () => DomainState;
}

/** What an item of a request sends. */
export function payloadOf(item: WriteItem, { password, settings }: PayloadSources): Payload {
  switch (item.kind) {
    case 'domain':
      return domainPayload(item.change, settings);
    case 'alias':
      return aliasPayload(item.change);
    case 'credential':
      return credentialPayload(item.change, password);
    case 'rule':
      if (item.part === 'delete') return { kind: 'rule', action: 'delete', id: item.rule.id };
      return { kind: 'rule', action: item.part === 'add' ? 'add' : 'update', rule: item.rule };
  }
}

function domainPayload({ action }: DomainChange, settings: () => DomainState): DomainPayload {
  return action === 'delete' ? { kind: 'domain', action } : { kind: 'domain', action, state: settings() };
}

function aliasPayload({ action, name, id, desired }: AliasChange): AliasPayload {
  const forward = desired?.forward ?? '';
  switch (action) {
    case 'add':
      return { kind: 'alias', action, alias: { alias: name, forward } };
    case 'update':
      return { kind: 'alias', action, alias: { id: liveId(id, name), forward } };
    case 'delete':
      return { kind: 'alias', action, id: liveId(id, name) };
  }
}

function credentialPayload({ action, name }: CredentialChange, password: () => string): CredentialPayload {
  const username = name as CredentialName;
  return action === 'delete'
    ? { kind: 'credential', action, username }
    : { kind: 'credential', action, username, password: password() };
}

/** A change of what is live has the id that was read; one without is a bug of the planner. */
function liveId(id: string | null, name: string): string {
  if (id === null) throw new Error(`alias ${name} has no id to be changed by`);
  return id;
}

/** Which listing shows what became of it. */
export function listingOf(payload: Payload): Section | 'domains' {
  return payload.kind === 'domain' ? 'domains' : KINDS[payload.kind].section;
}
