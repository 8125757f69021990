import type { Client } from '../../api/client.ts';
import type { DomainName } from '../../model/names.ts';
import { succeed } from '../../model/result.ts';
import type { WriteRequest } from '../../plan/requests/requests.ts';
import { DONE, one, type WireAnswer } from './answers.ts';
import { isDomain } from './as-sent.ts';
import type { AliasPayload, CredentialPayload, DomainPayload, Payload, RuleWrite } from './payload.ts';
import { sendAliases, sendRules } from './wire-routes.ts';

/** Sends the items of a request to its endpoint. */
export function sendItems(
  client: Client,
  { domain, operation }: Pick<WriteRequest, 'domain' | 'operation'>,
  items: readonly [Payload, ...Payload[]],
): Promise<WireAnswer> {
  const [first] = items;
  const other = items.find((item) => item.kind !== first.kind || item.action !== first.action);
  if (other !== undefined)
    throw new Error(`${other.action} ${other.kind} cannot go with ${first.action} ${first.kind}`);
  switch (first.kind) {
    case 'domain':
      return sendDomain(client, domain, first);
    case 'credential':
      return sendCredential(client, domain, first);
    case 'alias':
      return sendAliases(client, { domain, operation }, items as readonly AliasPayload[]);
    case 'rule':
      return sendRules(client, { domain, operation }, items as readonly RuleWrite[]);
  }
}

async function sendDomain(client: Client, domain: DomainName, item: DomainPayload): Promise<WireAnswer> {
  switch (item.action) {
    case 'add': {
      const added = await client.addDomain(domain, item.state);
      if (!added.ok) return added;
      return succeed([succeed({ ...DONE, kept: isDomain(item.state)(added.value), domain: added.value })]);
    }
    case 'update':
      return one(client.updateDomain(domain, item.state), ({ before, after }) => ({
        ...DONE,
        kept: isDomain(item.state)(after),
        before,
      }));
    case 'delete':
      return one(client.deleteDomain(domain), () => DONE);
  }
}

async function sendCredential(
  client: Client,
  domain: DomainName,
  item: CredentialPayload,
): Promise<WireAnswer> {
  switch (item.action) {
    case 'add': {
      const added = await client.addCredential(domain, item.username, item.password);
      if (!added.ok) return added;
      const note = added.value.requiresNewMxCheck ? { note: firstCredentialNote(domain) } : {};
      return succeed([succeed({ ...DONE, ...note })]);
    }
    case 'update':
      return one(client.updateCredential(domain, item.username, item.password), () => DONE);
    case 'delete':
      return one(client.deleteCredential(domain, item.username), () => DONE);
  }
}

/** v4: SMTP credentials; the first one of a domain needs DNS records before anything can be sent. */
function firstCredentialNote(domain: DomainName): string {
  return (
    `${domain} has its first SMTP credential: sending stays blocked until its DKIM and DMARC records are in DNS ` +
    `(fwdsync verify ${domain} prints them)`
  );
}
