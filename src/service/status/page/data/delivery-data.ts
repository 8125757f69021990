import { isPatternName, mayBePattern } from '../../../../core/model/names.ts';
import type { AccountStatus, DeliveryTrouble } from '../../../../core/model/status/daemon.ts';
import { quoteForShell } from '../../../../core/plan/policy.ts';
import { placeText } from './place.ts';

/** What is known of mail that does not arrive; plain data, not concealed yet. */
export interface DeliveryData {
  /** Whether anybody follows the email logs. */
  readonly isFollowed: boolean;
  /** True if no log is followed that was not read yet. */
  readonly isRead: boolean;
  /** Why something may be missing. */
  readonly reasons: readonly string[];
  /** Where mail fails, the most messages first. */
  readonly troubles: readonly TroubleRow[];
  /** How many are not listed. */
  readonly more: number;
}

export interface TroubleRow {
  readonly domain: string;
  /** The alias or the rule, or the name for which mail is refused; null: not known. */
  readonly who: string | null;
  /** Null: the mail was refused. */
  readonly destination: string | null;
  readonly since: number;
  readonly count: number;
  readonly message: string;
  readonly place: string | null;
  /** The command that says why mail to the address fails; null means that no single address is known. */
  readonly why: string | null;
}

const MOST_TROUBLES = 15;
const MOST_REASONS = 3;

export function deliveryData(
  statuses: readonly AccountStatus[],
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
