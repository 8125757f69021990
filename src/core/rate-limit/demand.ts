/** The requests that a client was asked for at one endpoint. */
export interface Demand {
  /** Whatever is no later page of a listing; `answered` of them have ended. */
  readonly begun: number;
  readonly answered: number;
  /** Later pages, which page 1 announced. */
  readonly continued: number;
  /** Of all of them. */
  readonly ended: number;
}

export type Demands = ReadonlyMap<string, Demand>;

const NO_DEMAND: Demand = { begun: 0, answered: 0, continued: 0, ended: 0 };

export interface DemandCounter {
  /** A request that is asked for; `continues`: it is a later page of a listing. Call the answer when it has ended; once counts. */
  readonly ask: (endpoint: string, continues: boolean) => () => void;
  /** By endpoint. */
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
 * Requests that are still to come, by endpoint: those that were asked for and have not ended, and listings that are only
 * `foreseen`, by endpoint, those that have begun included. A listing is thought to have as many pages as the others had.
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
