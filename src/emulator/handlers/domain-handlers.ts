import { ok, type Checked } from '../account/checked.ts';
import { addDomain, updateDomain } from '../account/resources/stored-domains.ts';
import type { Generation } from '../account/model.ts';
import type { DomainRecord, State } from '../account/state.ts';
import { DELETED, success, type HandlerResult } from '../http/protocol.ts';
import type { ApiHandler, DomainHandler } from '../http/route-list.ts';
import { readBody, type Render } from './item-handlers.ts';

/** Returns the handlers of requests about one domain. */
export function domainHandlers(
  version: Generation,
  render: Render<DomainRecord>,
): Record<'get' | 'update' | 'remove', DomainHandler> & { readonly add: ApiHandler } {
  const answer = (state: State, domain: Checked<DomainRecord>): HandlerResult =>
    domain.ok ? success({ domain: render(domain.value, state) }) : domain;
  return {
    get: ({ state, domain }) => answer(state, ok(domain)),
    add(context) {
      const body = readBody(context);
      return body.ok ? answer(context.state, addDomain(context.state, version, body.value)) : body;
    },
    update(context) {
      const { state, domain } = context;
      const body = readBody(context);
      return body.ok ? answer(state, updateDomain(state, version, domain, body.value)) : body;
    },
    remove({ state, domain }) {
      state.domains.remove(domain);
      return ok(DELETED);
    },
  };
}
