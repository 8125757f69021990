import type { FullClient } from '../../../client/create.ts';
import { errorText } from '../../../client/errors.ts';
import { concernsTheRun } from '../../../client/observe.ts';
import type { Desired } from '../../../core/model/desired.ts';
import { accountEntryKey } from '../../../core/kinds/item-key.ts';
import { localPartOf, type DomainName } from '../../../core/model/names.ts';
import type { Account } from '../../../core/model/observed.ts';
import type { Mail } from '../../../core/routing/route.ts';
import type { WhyAnswer } from '../../../service/why/why-document.ts';
import type { WhyEvidence } from '../../../service/why/evidence.ts';
import { readLastChange } from '../../../service/why/last-change.ts';
import { readMessages, type SeenMessages } from '../../../service/why/messages.ts';
import { sufficientRequests, type SpentRequests } from '../../../service/why/sufficient.ts';
import type { Context } from '../../context.ts';
import { apiFailure, answerOf, assertAccountOf } from '../../input/connect.ts';
import type { Connection } from '../../../client/connection.ts';
import { disclosing } from '../../../service/conceal/disclosing.ts';
import { openStates } from '../../input/state/open-states.ts';
import type { ManifestDisclosure } from '../../output/disclose.ts';
import type { StateSettings } from '../../settings/resolve-settings.ts';
import { usageError } from '../../exit.ts';
import { accountWay, isManagedWay, manifestWay, type FoundWay, type ReadWay } from './why-ways.ts';

interface Sources extends ManifestDisclosure {
  readonly client: FullClient;
  readonly connection: Connection;
}

interface AskedAddress {
  readonly address: string;
  readonly domain: DomainName;
  readonly since: WhyAnswer['since'];
  /** Maximum number of requests. */
  readonly most: number;
}

/** Reads what an answer needs, as far as the requests suffice: the account, the logs, the domain, and then how it routes. */
export async function gatherEvidence(
  context: Context,
  state: StateSettings,
  sources: Sources,
  asked: AskedAddress,
): Promise<WhyAnswer> {
  const { client, connection, disclosure, desired } = sources;
  const { address, domain, since } = asked;
  const account = answerOf(await client.getAccount());
  assertAccountOf(account, connection);
  const until = context.clock.now();
  const logs = await readMessages({ client, domain, address, since: since.at, until });
  if (logs.failure !== null && concernsTheRun(logs.failure)) throw apiFailure(logs.failure);
  const live = await readDomain(client, domain, desired);
  const mail = mailLike(logs, address);
  const known = live.domain === 'absent' ? null : live.domain;
  const wanted = manifestWay(desired, mail, known, disclosure);
  const actual = await readWay(client, mail, live.domain, desired);
  const evidence: WhyEvidence = {
    address,
    account,
    domain: live.domain,
    wanted: wanted?.way ?? null,
    actual: actual.found?.way ?? null,
    isManaged: isManagedWay(desired, address, wanted, actual.found),
    messages: logs.messages,
    missing: missingParts(sources, asked, { logs, wanted, live, actual }),
  };
  const store = (await openStates(context, state, 'why'))(connection, account.email);
  const keys = keysOf(asked, [wanted, actual.found]);
  return {
    evidence,
    lastChange: await readLastChange(store.history, { domain, keys }, disclosure.mask),
    since,
    requests: client.totals().total,
    notices: retentionNotices(account, since.at, until),
    disclose: disclosing(disclosure, await store.openReferences()),
  };
}

interface ReadDomain {
  readonly domain: WhyEvidence['domain'];
  /** Why it is not known. */
  readonly missing: string | null;
}

/** Reads a domain; one that is not found is absent only if a listing agrees, and must be in the manifest then. */
async function readDomain(
  client: FullClient,
  domain: DomainName,
  desired: Desired | null,
): Promise<ReadDomain> {
  const read = await client.getDomain(domain);
  if (read.ok) return { domain: read.value, missing: null };
  if (concernsTheRun(read.error)) throw apiFailure(read.error);
  const listed = read.error.kind === 'not-found' ? await client.listDomains({ query: domain }) : read;
  if (!listed.ok) return { domain: null, missing: errorText(listed.error) };
  const found = listed.value.find((live) => live.domain === domain);
  if (found !== undefined) return { domain: found, missing: null };
  if (desired?.domains.get(domain)?.state === 'present') return { domain: 'absent', missing: null };
  const where = desired === null ? 'the account does not have' : 'neither the account nor the manifest has';
  throw usageError(`${where} ${domain}`, 'check the spelling, and that the key belongs to the right account');
}

/** Returns a mail like the newest message, because rules may check its sender and subject. */
function mailLike({ messages }: SeenMessages, to: string): Mail {
  const [newest] = messages;
  return { to, from: newest?.sender ?? '', subject: newest?.subject ?? '', body: '' };
}

async function readWay(
  client: FullClient,
  mail: Mail,
  live: WhyEvidence['domain'],
  desired: Desired | null,
): Promise<ReadWay> {
  if (live === null) return { found: null, missing: null };
  if (live !== 'absent') return accountWay(client, mail, live, desired);
  const way = { outcome: 'refused', to: [], forward: [], by: null } as const;
  return { found: { way, isByName: false, domains: [], ends: [] }, missing: null };
}

interface ReadParts {
  readonly logs: SeenMessages;
  readonly wanted: FoundWay | null;
  readonly live: ReadDomain;
  readonly actual: ReadWay;
}

/** Names what is missing, and how many requests would complete it if that is all that it takes. */
function missingParts(
  { client, desired }: Sources,
  { domain, most }: AskedAddress,
  { logs, wanted, live, actual }: ReadParts,
): readonly string[] {
  const failures = [
    logs.failure === null ? null : errorText(logs.failure),
    live.missing,
    actual.missing,
  ].filter((text) => text !== null);
  const totals = client.totals();
  if (failures.length === 0 || totals.total < most) return failures;
  const isOpen = actual.found === null;
  const number = sufficientRequests(
    {
      totals,
      demands: client.demands(),
      logPagesLeft: logs.failure === null ? 0 : logs.requestsLeft - 1,
      ...(isOpen ? unreadParts(client, domain, wanted) : { unread: [], ends: 0 }),
    },
    desired,
    client.version,
  );
  // Without a manifest it is not known where mail would be forwarded.
  const takes = isOpen && wanted === null ? `: it takes at least ${number}` : `, and ${number} would be`;
  return [`--limit-requests ${most} was not enough${takes}`];
}

/** Names what must still be read to know the manifest's way. */
function unreadParts(
  client: FullClient,
  domain: DomainName,
  wanted: FoundWay | null,
): Pick<SpentRequests, 'unread' | 'ends'> {
  if (wanted === null) return { unread: [{ domain, asked: askedAbout(client) }], ends: 1 };
  const others = wanted.domains.filter((passed) => passed !== domain);
  return {
    unread: [
      { domain, asked: askedAbout(client) },
      ...others.map((passed) => ({ domain: passed, asked: 0 })),
    ],
    // One request per end shows if its domain belongs to the account.
    ends: wanted.ends.length,
  };
}

/** Requests for a domain and for how it routes that were asked for. */
function askedAbout(client: FullClient): number {
  return [...client.demands()]
    .filter(([endpoint]) => /\/domains\/:domain(?:\/(?:aliases|rules))?$/.test(endpoint))
    .reduce((sum, [, { begun, continued }]) => sum + begun + continued, 0);
}

function keysOf({ address, domain }: AskedAddress, ways: readonly (FoundWay | null)[]): readonly string[] {
  const takers = ways.flatMap((found) => found?.way.by ?? []);
  return [
    accountEntryKey(domain, 'alias', localPartOf(address)),
    ...takers.flatMap(({ kind, name }) =>
      kind === 'fallback' || name === null ? [] : [accountEntryKey(domain, kind, name)],
    ),
  ];
}

const DAY_MS = 86_400_000;

function retentionNotices(
  { logRetentionDays: days }: Account,
  since: number,
  until: number,
): readonly string[] {
  if (days === undefined || since >= until - days * DAY_MS) return [];
  return [`the account keeps its logs for ${days} days only`];
}
