/** Requests that a client was asked to send to one endpoint. */
export interface Demand {
  /** Requests other than the later pages of a listing. `answered` of them have ended. */
  readonly begun: number;
  readonly answered: number;
  /** Later pages of listings, announced by page 1. */
  readonly continued: number;
  /** Number of all requests that have ended. */
  readonly ended: number;
}

export type Demands = ReadonlyMap<string, Demand>;

const NO_DEMAND: Demand = { begun: 0, answered: 0, continued: 0, ended: 0 };

export interface DemandCounter {
  /**
   * Counts a request. `continues` is true for a later page of a listing. Returns a function to call when the request has
   * ended; further calls have no effect.
   */
  readonly ask: (endpoint: string, continues: boolean) => () => void;
  /** Returns the demand of each endpoint. */
  readonly demands: () => Demands;
}

export function createDemandCounter(): DemandCounter {
  const demands = new Map<string, Demand>();
  const change = (endpoint: string, by: Partial<Demand>): void => {
    const demand = demands.get(endpoint) ?? NO_DEMAND;
    demands.set(endpoint, {
      begun: demand.begun + (by.begun ?? 0),
      answered: demand.answered + (by.answered ?? 0),
      continued: demand.continued + (by.continued ?? 0),
      ended: demand.ended + (by.ended ?? 0),
    });
  };
  return {
    ask(endpoint, continues) {
      change(endpoint, continues ? { continued: 1 } : { begun: 1 });
      let isOpen = true;
      return () => {
        if (isOpen) change(endpoint, continues ? { ended: 1 } : { ended: 1, answered: 1 });
        isOpen = false;
      };
    },
    demands: () => demands,
  };
}

/**
 * Returns the number of requests still to come, by endpoint: those that have not ended, and those of listings that are only
 * `foreseen`. `foreseen` has the number of listings by endpoint, including those that have begun. Each listing is expected
 * to have as many pages as the others on average.
 */
export function stillToCome(
  demands: Demands,
  foreseen: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const endpoints = new Set([...demands.keys(), ...foreseen.keys()]);
  return new Map([...endpoints].map((endpoint) => [endpoint, leftAt(endpoint, demands, foreseen)]));
}

function leftAt(endpoint: string, demands: Demands, foreseen: ReadonlyMap<string, number>): number {
  const { begun, answered, continued, ended } = demands.get(endpoint) ?? NO_DEMAND;
  const pages = answered === 0 ? 1 : 1 + continued / answered;
  const listings = Math.max(begun, foreseen.get(endpoint) ?? 0);
  return Math.max(0, Math.round(listings * pages) - ended);
}
