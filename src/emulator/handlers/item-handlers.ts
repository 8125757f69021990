import { isBodyObject, type BodyObject } from '../account/resources/body.ts';
import { ok, refuse, type Checked } from '../account/checked.ts';
import type { ItemKind } from '../account/resources/kind.ts';
import type { State } from '../account/state.ts';
import { DELETED, success, type HandlerResult, type JsonObject } from '../http/protocol.ts';
import type { DomainContext, DomainHandler, RequestContext } from '../http/route-list.ts';

export type Render<T> = (item: T, state: State) => JsonObject;

/** The form of a kind in one version of the API. */
export interface Presentation<T> {
  readonly render: Render<T>;
  /** Finds the item that a path segment names. */
  readonly find?: (context: DomainContext, segment: string) => Checked<T>;
  /** Fields next to the item in the answer to an addition. */
  readonly extraFields?: (context: DomainContext) => JsonObject;
}

/** Returns the handlers of requests about one item of a kind. The last path segment names the item. */
export function itemHandlers<T>(
  kind: ItemKind<T>,
  { render, extraFields, find = ({ domain }, segment) => kind.find(domain, segment) }: Presentation<T>,
): Record<'get' | 'add' | 'update' | 'remove', DomainHandler> {
  const answer = ({ state }: RequestContext, item: Checked<T>): HandlerResult =>
    item.ok ? success({ [kind.noun]: render(item.value, state) }) : item;
  const itemOf = (context: DomainContext): Checked<T> =>
    find(context, Object.values(context.params).at(-1) ?? '');
  return {
    get: (context) => answer(context, itemOf(context)),
    add(context) {
      const body = readBody(context);
      if (!body.ok) return body;
      const added = answer(context, kind.add(context.state, context.domain, body.value));
      if (!added.ok || extraFields === undefined) return added;
      return success({ ...added.value.body, ...extraFields(context) });
    },
    update(context) {
      const item = itemOf(context);
      if (!item.ok) return item;
      const body = readBody(context);
      if (!body.ok) return body;
      const { state, domain } = context;
      const needed = kind.neededOnUpdate(state.switches);
      return answer(context, kind.update(state, { domain, item: item.value }, body.value, needed));
    },
    remove(context) {
      const item = itemOf(context);
      if (!item.ok) return item;
      kind.tableOf(context.domain).remove(item.value);
      return ok(DELETED);
    },
  };
}

/** Returns a handler that deletes all items of a domain. It requires `all=true`. */
export function removeAllHandler<T>({ noun, tableOf }: ItemKind<T>): DomainHandler {
  return ({ state, query, domain }) => {
    if (query.get('all') !== 'true' && state.switches.unguardedDeleteAll === 'refuse') {
      const message = `Deleting every ${noun} of a domain needs all=true.`;
      return refuse('unguardedDeleteAllStatus', message, { all: [message] });
    }
    const table = tableOf(domain);
    const deleted = table.size;
    table.clear();
    return success({ deleted });
  };
}

/** Returns the object in a request's body. A missing body counts as an empty object. */
export function readBody({ body = {} }: RequestContext): Checked<BodyObject> {
  return isBodyObject(body) ? ok(body) : refuse(400, 'The request body must be a JSON object.');
}
