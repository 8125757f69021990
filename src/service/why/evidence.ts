import type { Destination } from '../../core/model/destinations.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import type { Account, ObservedDomain } from '../../core/model/observed.ts';
import type { SeenMessage } from './messages.ts';

/** Where mail to an address goes, by the manifest or by the account. */
export interface WhyWay {
  readonly outcome: 'delivered' | 'discarded' | 'refused' | 'loop' | 'unknown';
  /** Where it ends. */
  readonly to: readonly Destination[];
  /** Where what takes it first sends it. */
  readonly forward: readonly Destination[];
  /** What takes the mail first; null means that nothing does. */
  readonly by: WhyTaker | null;
}

export interface WhyTaker {
  readonly kind: 'alias' | 'rule' | 'fallback';
  readonly name: string | null;
  /** Where the manifest has it; null means that only the account does. */
  readonly source: Source | null;
}

/** Everything that is known of an address. What could not be read is null, and in `missing`. */
export interface WhyEvidence {
  readonly address: string;
  readonly account: Account;
  /** The domain as the account has it; `absent`: the account does not have it. */
  readonly domain: ObservedDomain | 'absent' | null;
  /** The way by the manifest; null means that it does not name the domain. */
  readonly wanted: WhyWay | null;
  readonly actual: WhyWay | null;
  /** False if the account's way is not for the manifest to say. */
  readonly isManaged: boolean;
  /** The newest first. */
  readonly messages: readonly SeenMessage[];
  /** In words, what could not be read. */
  readonly missing: readonly string[];
}
