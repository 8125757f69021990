/** The effect of the plan on a message. `routes` are those that may decide it; null stands for a route that the plan does not list. */
export type MessageVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly routes: readonly (number | null)[] }
  | { readonly kind: 'unknown'; readonly routes: readonly (number | null)[] };

interface TalliedEntry {
  readonly id: string;
  readonly to: string;
  readonly forward: string | null;
}

interface MessageCounts {
  readonly messages: number;
  readonly changed: number;
  readonly unknown: number;
  /** Number of changed messages by route. */
  readonly byRoute: ReadonlyMap<number, number>;
  /** Routes whose number cannot be known. */
  readonly uncertain: ReadonlySet<number>;
}

interface MessageTally {
  /** Adds an entry. The verdict is asked for once per message. */
  readonly add: (entry: TalliedEntry, verdict: () => MessageVerdict) => void;
  readonly counts: () => MessageCounts;
}

/**
 * Counts messages: one for each id and recipient. One that another entry forwarded to this recipient came from inside the
 * account, and counts only where it entered.
 */
export function createMessageTally(): MessageTally {
  /** Verdicts by recipient and id. */
  const verdicts = new Map<string, Map<string, MessageVerdict>>();
  const forwarders = new Map<string, string>();
  /** Each verdict once: there are few, and many messages. */
  const known = new Map<string, MessageVerdict>();
  const shared = (verdict: MessageVerdict): MessageVerdict => {
    const key = JSON.stringify(verdict);
    const found = known.get(key) ?? verdict;
    known.set(key, found);
    return found;
  };
  return {
    add({ id, to, forward }, verdict) {
      const own = verdicts.get(to) ?? new Map<string, MessageVerdict>();
      verdicts.set(to, own);
      if (!own.has(id)) own.set(id, shared(verdict()));
      if (forward !== null && forward !== to) forwarders.set(keyOf(id, forward), keyOf(id, to));
    },
    counts: () => countVerdicts(enteredIn(verdicts, forwarders)),
  };
}

function* enteredIn(
  verdicts: ReadonlyMap<string, ReadonlyMap<string, MessageVerdict>>,
  forwarders: ReadonlyMap<string, string>,
): Generator<MessageVerdict> {
  for (const [to, own] of verdicts) {
    for (const [id, verdict] of own) if (isFirst(keyOf(id, to), forwarders)) yield verdict;
  }
}

function countVerdicts(verdicts: Iterable<MessageVerdict>): MessageCounts {
  const byRoute = new Map<number, number>();
  const uncertain = new Set<number>();
  const counts = { messages: 0, changed: 0, unknown: 0 };
  for (const verdict of verdicts) {
    counts.messages += 1;
    if (verdict.kind === 'same') continue;
    counts[verdict.kind] += 1;
    const [route = null, ...others] = verdict.routes;
    if (verdict.kind === 'changed' && others.length === 0) {
      if (route !== null) byRoute.set(route, (byRoute.get(route) ?? 0) + 1);
      continue;
    }
    for (const one of verdict.routes) if (one !== null) uncertain.add(one);
  }
  return { ...counts, byRoute, uncertain };
}

/** True if no entry forwarded the message here. Of a loop the least key stands for where it entered. */
function isFirst(key: string, forwarders: ReadonlyMap<string, string>): boolean {
  const passed = new Set<string>();
  for (let at = forwarders.get(key); at !== undefined; at = forwarders.get(at)) {
    if (at === key) return [...passed].every((other) => key < other);
    if (passed.has(at)) return false;
    passed.add(at);
  }
  return passed.size === 0;
}

function keyOf(id: string, to: string): string {
  return `${id} ${to}`;
}
