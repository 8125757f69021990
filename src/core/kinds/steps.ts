import type { Action, Change } from '../model/plan.ts';
import type { Kind } from '../model/kinds.ts';
import type { SentItem, Verb } from './wire.ts';

/** What one request does about one change. */
export interface WriteItem {
  readonly change: Change;
  /** What the request has of it, secrets and the settings of a domain apart: those are looked up when it is sent. */
  readonly sent: SentItem;
  /** Of a change that takes several requests what this one does; by default all of it. */
  readonly part?: ChangePart;
}

export interface ChangePart {
  readonly action: Action;
  readonly fields: readonly string[];
  /** The item before the request and after it. */
  readonly from: object | null;
  readonly to: object;
  /** False if another request completes the change. */
  readonly isLast: boolean;
}

export interface PlacedItem {
  /** Its place in a run: one of those of core/plan/requests/order.ts. */
  readonly step: string;
  readonly stage: 1 | 2;
  readonly item: WriteItem;
}

/** The requests that the changes of a kind take. */
export interface Placing {
  readonly places: readonly PlacedItem[];
  /** The items of one step in the order in which they go. */
  readonly inOrder: (step: string, items: readonly WriteItem[]) => readonly WriteItem[];
}

/** The steps of a kind in a run. What stands before what, and why, is said in core/plan/requests/order.ts. */
export interface KindSteps {
  /** What the requests of each step do. */
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly place: (changes: readonly Change[]) => Placing;
  /** What remains of a change when its stage 2 is withheld; by default nothing. */
  readonly stageOneOf?: (change: Change) => Change | null;
}

type Compare = (a: WriteItem, b: WriteItem) => number;

/** The steps of a kind whose changes take one request each: those that add, update and delete. `orders`: by step. */
export function plainSteps(kind: Kind, orders: Readonly<Record<string, Compare>> = {}): KindSteps {
  return {
    verbs: { [`${kind}-adds`]: 'add', [`${kind}-updates`]: 'update', [`${kind}-deletes`]: 'delete' },
    place: (changes) => ({
      places: changes.map((change) => ({
        step: `${kind}-${change.action}s`,
        stage: change.stage,
        item: { change, sent: sentOf(change) },
      })),
      inOrder(step, items) {
        const compare = orders[step];
        return compare === undefined ? items : items.toSorted(compare);
      },
    }),
  };
}

function sentOf({ id, name, desired }: Change): SentItem {
  return { ...(id === null ? {} : { id }), name, ...desired };
}
