import { destinationsOf } from '../model/destinations.ts';
import type { Desired } from '../model/desired.ts';
import type { Observed } from '../model/observed.ts';

/** Every destination that an account has or a manifest asks for, some of them more than once. */
export function* valuesIn(
  { domains: live }: Pick<Observed, 'domains'>,
  { domains: wanted }: Pick<Desired, 'domains'>,
): Generator<string> {
  for (const text of [...textsOf(live.values()), ...textsOf(wanted.values())]) yield* destinationsOf(text);
}

type Holder =
  Observed['domains'] extends ReadonlyMap<unknown, infer Live>
    ? Live | (Desired['domains'] extends ReadonlyMap<unknown, infer Wanted> ? Wanted : never)
    : never;

function* textsOf(holders: Iterable<Holder>): Generator<string> {
  for (const holder of holders) {
    if ('state' in holder) {
      if (holder.state === 'absent') continue;
      yield* forwardsOf([...(holder.aliases?.entries.values() ?? []), ...(holder.rules?.entries ?? [])]);
      yield* Object.values(holder.settings).flatMap(({ value }) => value ?? []);
    } else {
      yield* forwardsOf([...(holder.aliases ?? []), ...(holder.rules ?? [])]);
      const { notification_email: email, webhook, rulesFallbackEmail: fallback } = holder;
      yield* [email, webhook, fallback].flatMap((text) => text ?? []);
    }
  }
}

function forwardsOf(entries: readonly object[]): readonly string[] {
  return entries.flatMap((entry) =>
    'forward' in entry && typeof entry.forward === 'string' ? entry.forward : [],
  );
}
