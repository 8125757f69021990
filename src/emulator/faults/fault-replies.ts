import type { BatchLie, FaultAction, ListingFault } from './faults.ts';
import type { Delivery, EmulatorAnswer, JsonValue, JsonObject, HandlerReply } from '../http/protocol.ts';
import type { FailItem, Tampering } from '../http/route-list.ts';

const SCRIPTED_FAILURE = 'This item was refused.';
const VERBS = ['added', 'updated', 'deleted'];
const LISTS = ['domains', 'aliases', 'rules', 'credentials', 'logs'];

/** Returns the tampering that handlers have to take part in. */
export function tamperingOf(actions: readonly FaultAction[]): Tampering {
  const failItems = new Map<number, FailItem>();
  let shift = 0;
  let limit: number | undefined;
  for (const action of actions) {
    if (action.kind === 'fail-items') {
      for (const item of action.items ?? []) {
        failItems.set(item.index, { ...item, message: item.message ?? SCRIPTED_FAILURE });
      }
    }
    if (action.kind === 'listing') {
      shift += action.shift ?? 0;
      limit = action.limit ?? limit;
    }
  }
  return { failItems, shift, limit };
}

/** Returns the reply with the scripted errors in it. */
export function tamperWith(reply: HandlerReply, actions: readonly FaultAction[]): HandlerReply {
  let tampered = reply;
  for (const action of actions) {
    if (action.kind === 'listing') tampered = tamperWithListing(tampered, action);
    if (action.kind === 'fail-items') {
      for (const lie of action.lies ?? []) tampered = lieAboutBatch(tampered, lie);
    }
  }
  return tampered;
}

/** Applies the last changes, to the text and the headers. */
export function tamperWithAnswer(answer: EmulatorAnswer, actions: readonly FaultAction[]): EmulatorAnswer {
  let { headers, body } = answer;
  for (const action of actions) {
    if (action.kind === 'body') {
      ({ body } = action);
      headers = { ...headers, 'Content-Type': action.contentType ?? 'application/json' };
    }
    if (action.kind === 'headers') headers = withHeaders(headers, action.set);
  }
  return { status: answer.status, headers, body };
}

export function deliveryOf(actions: readonly FaultAction[]): Delivery {
  for (const action of actions) {
    if (action.kind === 'drip') {
      return { kind: 'drip', chunkBytes: action.chunkBytes ?? 1, milliseconds: action.ms };
    }
    if (action.kind === 'truncate' || action.kind === 'flood') return action;
  }
  return { kind: 'whole' };
}

function tamperWithListing(reply: HandlerReply, fault: ListingFault): HandlerReply {
  const name = LISTS.find((list) => Array.isArray(reply.body?.[list]));
  if (reply.body === undefined || name === undefined) return reply;
  let items = [...(reply.body[name] as readonly JsonValue[])];
  if (fault.duplicate !== undefined) {
    items.splice(fault.duplicate, 0, ...items.slice(fault.duplicate, fault.duplicate + 1));
  }
  if (fault.missing !== undefined) items.splice(fault.missing, 1);
  if (fault.empty === true) items = [];
  items = items.map((item) => reshape(item as JsonObject, fault));
  const { total } = reply.body;
  return {
    ...reply,
    body: {
      ...reply.body,
      [name]: items,
      ...(typeof total === 'number' ? { total: total + (fault.total ?? 0) } : {}),
    },
  };
}

function reshape(item: JsonObject, { ids, set, unset = [] }: ListingFault): JsonObject {
  const { id } = item;
  const isTyped = ids !== undefined && (typeof id === 'number' || typeof id === 'string');
  const typed = isTyped ? { id: ids === 'numbers' ? Number(id) : String(id) } : {};
  const fields = Object.entries({ ...item, ...typed, ...set });
  return Object.fromEntries(fields.filter(([name]) => !unset.includes(name)));
}

function lieAboutBatch(reply: HandlerReply, lie: BatchLie): HandlerReply {
  const verb = VERBS.find((candidate) => Array.isArray(reply.body?.[candidate]));
  if (reply.body === undefined || reply.batch === undefined || verb === undefined) return reply;
  const done = [...(reply.body[verb] as readonly JsonValue[])];
  const failed = [...(reply.body['failed'] as readonly JsonObject[])];
  LIES[lie]({ done, failed, batch: reply.batch });
  const extra = lie === 'wrong-counts' ? 1 : 0;
  return {
    ...reply,
    status: failed.length > 0 ? 207 : reply.status,
    body: {
      ...reply.body,
      [verb]: done,
      [`${verb}_count`]: done.length + extra,
      failed,
      failed_count: failed.length + extra,
    },
  };
}

interface BatchLists {
  readonly done: JsonValue[];
  readonly failed: JsonObject[];
  readonly batch: NonNullable<HandlerReply['batch']>;
}

const LIES: Readonly<Record<BatchLie, (lists: BatchLists) => void>> = {
  shuffled: ({ failed }) => {
    failed.reverse();
  },
  'repeated-index': ({ failed }) => {
    failed.push(...failed.slice(0, 1));
  },
  'index-out-of-range': ({ failed, batch }) => {
    failed.splice(0, 1, ...failed.slice(0, 1).map((entry) => ({ ...entry, index: batch.size })));
  },
  'index-as-string': ({ failed }) => {
    const lying = failed.map((entry) => ({ ...entry, index: JSON.stringify(entry['index']) }));
    failed.splice(0, failed.length, ...lying);
  },
  'in-both': ({ failed, batch }) => {
    failed.push({ index: batch.doneIndexes[0] ?? 0, message: SCRIPTED_FAILURE, errors: {} });
  },
  'in-neither': ({ done, failed }) => {
    (failed.length > 0 ? failed : done).shift();
  },
  // The counts are changed after the lists are written.
  'wrong-counts': () => {},
};

function withHeaders(
  headers: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const kept = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), { name, value }]));
  for (const [name, value] of Object.entries(changes)) {
    kept.delete(name.toLowerCase());
    if (value !== null) kept.set(name.toLowerCase(), { name, value });
  }
  return Object.fromEntries([...kept.values()].map(({ name, value }) => [name, value]));
}
