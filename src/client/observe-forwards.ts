import type { Clock } from '../core/model/clock.ts';
import type { Observed, ObservedDomain, UnreadRouting } from '../core/model/observed.ts';
import { fail, succeed, type Result } from '../core/model/result.ts';
import type { Client } from './client.ts';
import type { ApiError } from './errors.ts';
import { concernsTheRun, embeddedAliases } from './observe.ts';
import { observeSections } from './observe-sections.ts';

/**
 * Adds all domains of the account to a read of some. If the list cannot be read, the result is unchanged, unless the error
 * stops the run.
 */
export async function observeOthers(client: Client, observed: Observed): Promise<Result<Observed, ApiError>> {
  const listed = await client.listDomainsWithAliases();
  if (!listed.ok) return concernsTheRun(listed.error) ? listed : succeed(observed);
  const { partial: _, ...known } = observed;
  const domains = new Map(listed.value.map(({ aliases: __, ...domain }) => [domain.domain, domain]));
  for (const [name, domain] of observed.domains) domains.set(name, domain);
  return succeed({ ...known, domains, embedded: embeddedAliases(listed.value) });
}

/** Uses the aliases embedded in the list for domains whose aliases were not read. */
export function withEmbedded(observed: Observed): Observed {
  if (observed.embedded === undefined) return observed;
  const { embedded, ...known } = observed;
  const domains = new Map(known.domains);
  for (const [name, aliases] of embedded) {
    const live = domains.get(name);
    if (live !== undefined && live.aliases === undefined) domains.set(name, { ...live, aliases });
  }
  return { ...known, domains };
}

/** Adds unread sections that route mail. A section that cannot be read stays unread. */
export async function observeForwards(
  client: Client,
  { observed, unread }: { readonly observed: Observed; readonly unread: readonly UnreadRouting[] },
  clock: Clock,
): Promise<Result<Observed, ApiError>> {
  const domains = new Map(observed.domains);
  let fatal: ApiError | null = null;
  await Promise.all(
    unread.map(async ({ domain, section }) => {
      const read = await observeSections(client, domain, [section]);
      if (!read.ok) {
        if (concernsTheRun(read.error)) fatal ??= read.error;
        return;
      }
      const live = domains.get(domain) as ObservedDomain;
      domains.set(domain, {
        ...live,
        ...read.value,
        readAt: live.readAt ?? clock.monotonic(),
      });
    }),
  );
  return fatal === null ? succeed({ ...observed, domains }) : fail(fatal);
}
