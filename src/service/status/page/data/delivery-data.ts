import { isPatternName, mayBePattern } from '../../../../core/model/names.ts';
import type { AccountStatus, DeliveryTrouble } from '../../../../core/model/status/daemon.ts';
import { quoteForShell } from '../../../../core/plan/policy.ts';
import { placeText } from './place.ts';

/** Mail that does not arrive; plain data, not concealed yet. */
export interface DeliveryData {
  /** True if the email logs are followed. */
  readonly isFollowed: boolean;
  /** True if every followed log has been read at least once. */
  readonly isRead: boolean;
  /** Reasons why the data may be incomplete. */
  readonly reasons: readonly string[];
  /** Failing destinations, those with the most messages first. */
  readonly troubles: readonly TroubleRow[];
  /** Number of troubles that are not listed. */
  readonly more: number;
}

export interface TroubleRow {
  readonly domain: string;
  /** The alias, the rule, or the name for which mail is refused; null if not known. */
  readonly who: string | null;
  /** null means that the mail was refused. */
  readonly destination: string | null;
  readonly since: number;
  readonly count: number;
  readonly message: string;
  readonly place: string | null;
  /** Command that explains why mail to the address fails; null if no single address is known. */
  readonly why: string | null;
}

const MOST_TROUBLES = 15;
const MOST_REASONS = 3;

export function deliveryData(
  statuses: readonly Pick<AccountStatus, 'delivery'>[],
  matches: (name: string) => boolean,
  command: (words: string) => string,
): DeliveryData {
  const followed = statuses.filter(({ delivery }) => delivery !== undefined);
  const troubles = followed
    .flatMap(({ delivery }) => [...(delivery?.domains.values() ?? [])])
    .flatMap((domain) => domain.troubles)
    .filter(({ domain }) => matches(domain))
    .toSorted((a, b) => b.count - a.count);
  return {
    isFollowed: followed.length > 0,
    isRead: followed.every(({ delivery }) => delivery?.isRead === true),
    reasons: [...new Set(followed.flatMap(({ delivery }) => delivery?.reasons ?? []))].slice(0, MOST_REASONS),
    troubles: troubles.slice(0, MOST_TROUBLES).map((trouble) => troubleRow(trouble, command)),
    more: Math.max(0, troubles.length - MOST_TROUBLES),
  };
}

function troubleRow(
  { domain, alias, rule, destination, since, count, lastError, source }: DeliveryTrouble,
  command: (words: string) => string,
): TroubleRow {
  const kind = rule === null ? (destination === null ? 'name' : 'alias') : 'rule';
  const name = rule ?? alias;
  const code = lastError.code === null ? '' : `${lastError.code} `;
  return {
    domain,
    who: name === null ? null : `${kind} ${name}`,
    destination,
    since,
    count,
    message: `${code}${lastError.message}`,
    place: placeText(source),
    why: alias === null || takesSeveral(alias) ? null : command(`why ${quoteForShell(`${alias}@${domain}`)}`),
  };
}

function takesSeveral(alias: string): boolean {
  return alias === '*' || isPatternName(alias) || mayBePattern(alias);
}
