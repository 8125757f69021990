import { readQuery, type LimitBounds, type QueryReader } from '../http/query.ts';
import { success, type HandlerResult, type JsonObject } from '../http/protocol.ts';
import type { RequestContext } from '../http/route-list.ts';
import type { State } from '../account/state.ts';
import type { PageQuery, Table } from '../account/table.ts';

export interface Listing<T, Order extends string, C extends RequestContext> {
  readonly plural: 'domains' | 'aliases' | 'rules' | 'credentials';
  readonly tableOf: (context: C) => Table<T, string, Order>;
  readonly render: (item: T, state: State) => JsonObject;
  readonly bounds: LimitBounds;
  /** Orders that a request can ask for, the default first. */
  readonly orders: readonly [PageQuery<T, Order>['order'], ...PageQuery<T, Order>['order'][]];
  /** Query parameter for a substring search. */
  readonly textParameter?: string;
  readonly filter?: (query: QueryReader) => ((item: T) => boolean) | undefined;
  /** `omitted` if the answer has no page number and no total. */
  readonly numbers?: 'omitted';
}

/** Returns a handler that serves one page of a listing. */
export function listHandler<T, Order extends string, C extends RequestContext>(
  listing: Listing<T, Order, C>,
): (context: C) => HandlerResult {
  const { plural, orders, textParameter, filter } = listing;
  return (context) => {
    const { state } = context;
    // v3 has no order.
    const asked = readQuery(context, (query) => ({
      order: (orders.length > 1 ? query.word('order', orders) : undefined) ?? orders[0],
      containing: textParameter === undefined ? undefined : query.text(textParameter),
      keep: filter?.(query),
      ...query.page(boundsIn(context, listing.bounds)),
    }));
    if (!asked.ok) return asked;
    const { limit, page } = asked.value;
    const { items, total } = listing.tableOf(context).page(asked.value);
    const rendered = { [plural]: items.map((item) => listing.render(item, state)) };
    return success(listing.numbers === 'omitted' ? rendered : { ...rendered, total, limit, page });
  };
}

function boundsIn({ version, state }: RequestContext, bounds: LimitBounds): LimitBounds {
  return version === 'v3' ? { ...bounds, minimum: state.switches.v3MinimumLimit } : bounds;
}
