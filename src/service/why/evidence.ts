import type { Destination } from '../../core/model/destinations.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import type { Account, ObservedDomain } from '../../core/model/observed.ts';
import type { SeenMessage } from './messages.ts';

/** Way of mail to an address, by the manifest or by the account. */
export interface WhyWay {
  readonly outcome: 'delivered' | 'discarded' | 'refused' | 'loop' | 'unknown';
  /** Final destinations. */
  readonly to: readonly Destination[];
  /** Destinations of the entry that takes the mail first. */
  readonly forward: readonly Destination[];
  /** Entry that takes the mail first; null means that no entry takes it. */
  readonly by: WhyTaker | null;
}

export interface WhyTaker {
  readonly kind: 'alias' | 'rule' | 'fallback';
  readonly name: string | null;
  /** Place of the entry in the manifest; null means that only the account has it. */
  readonly source: Source | null;
}

/** Everything known about an address. Facts that could not be read are null, and named in `missing`. */
export interface WhyEvidence {
  readonly address: string;
  readonly account: Account;
  /** The domain as the account has it. `absent` means that the account does not have it. */
  readonly domain: ObservedDomain | 'absent' | null;
  /** The way by the manifest; null means that it does not name the domain. */
  readonly wanted: WhyWay | null;
  readonly actual: WhyWay | null;
  /** False if the manifest does not manage this way. */
  readonly isManaged: boolean;
  /** Messages, newest first. */
  readonly messages: readonly SeenMessage[];
  /** Descriptions of what could not be read. */
  readonly missing: readonly string[];
}
