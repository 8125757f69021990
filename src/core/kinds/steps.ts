import type { Action, Change } from '../model/plan.ts';
import type { Kind } from '../model/kinds.ts';
import type { SentItem, Verb } from './wire.ts';

/** The part of a change that one request makes. */
export interface WriteItem {
  readonly change: Change;
  /** The values in the request. Secrets and domain settings are looked up when it is sent. */
  readonly sent: SentItem;
  /** The part that this request does, if the change takes several; by default all of it. */
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
  /** The item's place in a run: one of the steps in core/plan/requests/order.ts. */
  readonly step: string;
  readonly stage: 1 | 2;
  readonly item: WriteItem;
}

/** The requests that the changes of a kind take. */
export interface Placing {
  readonly places: readonly PlacedItem[];
  /**
   * Sorts the items of one step into the order in which they are sent. An item of a later group depends on earlier
   * ones. It is never in the same request, because the service may refuse one item of a request and accept another.
   */
  readonly inOrder: (step: string, items: readonly WriteItem[]) => readonly (readonly WriteItem[])[];
}

/** A kind's steps in a run. core/plan/requests/order.ts defines and explains the order of all steps. */
export interface KindSteps {
  /** The verb of each step's requests. */
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly place: (changes: readonly Change[]) => Placing;
  /** Returns the part of a change that remains if its stage 2 is withheld; by default nothing. */
  readonly stageOneOf?: (change: Change) => Change | null;
}

type Compare = (a: WriteItem, b: WriteItem) => number;

/**
 * Returns the steps of a kind whose changes take one request each: add, update and delete. `orders` sorts the items of
 * a step.
 */
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
        return [compare === undefined ? items : items.toSorted(compare)];
      },
    }),
  };
}

function sentOf({ id, name, desired }: Change): SentItem {
  return { ...(id === null ? {} : { id }), name, ...desired };
}
