import { errorText } from '../../client/errors.ts';
import type { Client } from '../../client/client.ts';
import type { LogsClient } from '../../client/logs/logs.ts';
import type { Desired, PresentDomain } from '../../core/model/desired.ts';
import { plural, type DomainName } from '../../core/model/names.ts';
import type { Account, ObservedDomain } from '../../core/model/observed.ts';
import { succeed } from '../../core/model/result.ts';
import type { DeliveryFindings } from './document.ts';
import type { HistoryStore } from '../../engine/state/store.ts';
import { createCounting } from './counting.ts';
import { namesOfAccount, placeOfAliases } from './known-names.ts';
import { createValuesOf, namesOfPast, readLost, readPast, type PastByDomain, type ValuesOf } from './past.ts';
import { readDomainDelivery, type DomainDelivery, type DomainReading } from './read-domain.ts';

export interface DeliveryReading {
  readonly client: LogsClient & Pick<Client, 'version' | 'items'>;
  /** Domains of the manifest that the caller asks for. */
  readonly domains: readonly PresentDomain[];
  /** Domains in the account. */
  readonly live: ReadonlyMap<DomainName, ObservedDomain>;
  readonly account: Account;
  readonly history: Pick<HistoryStore, 'read'>;
  /** References of the manifest, by their values. */
  readonly references: Desired['references'];
  /** Time from which mail counts, in epoch milliseconds. */
  readonly since: number;
  readonly now: () => number;
  readonly mayAsk: DomainReading['mayAsk'];
}

const DAY_MS = 86_400_000;

/** Reads the email logs of domains in parallel: how much mail was delivered since a time, and how much was not. */
export async function readDelivery(reading: DeliveryReading): Promise<DeliveryFindings> {
  const { domains, live, since, now } = reading;
  const until = now();
  const present = domains.filter(({ domain }) => live.has(domain));
  const past = await openPast(reading);
  const read = await Promise.all(present.map((wanted) => readOne(wanted, reading, past)));
  const notices = noticesOf(reading, read, until);
  return {
    since,
    until,
    complete: notices.length === 0,
    notices: [...notices, ...missingNotices(domains, live)],
    domains: read.map((one, index) => {
      const failure = one.cut?.kind === 'failed' ? errorText(one.cut.error) : null;
      return { ...one, threshold: present[index]?.delivery ?? null, failure };
    }),
  };
}

function readOne(
  wanted: PresentDomain,
  { client, live, ...reading }: DeliveryReading,
  { recent, all, valuesOf }: Past,
): Promise<DomainDelivery> {
  const { domain } = wanted;
  const hasOthers = wanted.aliases?.prune !== true;
  const changes = recent.get(domain) ?? [];
  return readDomainDelivery({
    ...reading,
    ...createCounting({ wanted, live: live.get(domain), changes, valuesOf }),
    client,
    domain,
    async namesOfHistory() {
      return namesOfPast((await all()).get(domain) ?? [], wanted);
    },
    readNames: hasOthers
      ? async () => {
          const aliases = await client.items('alias').list(domain);
          return aliases.ok ? succeed(namesOfAccount(aliases.value, placeOfAliases(wanted))) : aliases;
        }
      : null,
  });
}

/**
 * Past changes. `recent` has the changes since the time from which mail counts. `all` reads the deleted aliases of the whole
 * history, once and on demand.
 */
interface Past {
  readonly recent: PastByDomain;
  readonly all: () => Promise<PastByDomain>;
  readonly valuesOf: ValuesOf;
}

async function openPast({ history, references, since }: DeliveryReading): Promise<Past> {
  let all: Promise<PastByDomain> | null = null;
  return {
    recent: await readPast(history, { since }),
    all: () => (all ??= readLost(history)),
    valuesOf: createValuesOf(references),
  };
}

/** Returns why the findings are not complete. */
function noticesOf(
  { account: { logRetentionDays }, since }: DeliveryReading,
  read: readonly DomainDelivery[],
  until: number,
): readonly string[] {
  const cut = read.filter((one) => one.cut?.kind === 'requests').length;
  const failed = read.filter((one) => one.cut?.kind === 'failed').length;
  const isBeyond = logRetentionDays !== undefined && since < until - logRetentionDays * DAY_MS;
  return [
    ...(cut === 0 ? [] : [`--limit-requests was reached; not read to the end: ${plural(cut, 'domain')}`]),
    ...(failed === 0 ? [] : [`could not be read: ${plural(failed, 'domain')}`]),
    ...(isBeyond
      ? [`the account keeps its logs for ${logRetentionDays} days only: earlier mail is not counted`]
      : []),
  ];
}

function missingNotices(domains: readonly PresentDomain[], live: DeliveryReading['live']): readonly string[] {
  const missing = domains.filter(({ domain }) => !live.has(domain)).map(({ domain }) => domain);
  return missing.map((domain) => `the account has no domain ${domain}`);
}
