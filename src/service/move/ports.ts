import type { ApiError } from '../../client/errors.ts';
import type { FullClient } from '../../client/create.ts';
import type { Dns, DnsServer } from '../../client/dns/dns.ts';
import type { ImportedDomain } from '../../core/manifest/import/translated.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { Desired, PresentDomain } from '../../core/model/desired.ts';
import type { Destination } from '../../core/model/destinations.ts';
import type { Result } from '../../core/model/result.ts';
import type { FormerAddress } from '../../core/move/inventory.ts';
import type { Read, Rehearsal } from '../../core/move/observation.ts';
import type { Planned } from '../../engine/plan-once.ts';
import type { StateStore } from '../../engine/state/store.ts';
import type { SafeText } from '../delivery/safe-text.ts';

/** The domain that moves, by the manifest and by the old system. */
export interface MoveQuestion {
  readonly desired: Pick<Desired, 'domains'>;
  readonly domain: PresentDomain;
  /** Its forwards in the old system; null means that no file was given. */
  readonly imported: ImportedDomain | null;
  /** Seconds of `--former-ttl`; null means that it is not given. */
  readonly formerTtl: number | null;
}

/** All that an observation reaches, so that a simulation can stand in for any part of it. */
export interface MovePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly dns: Dns;
  readonly resolver: DnsServer;
  /** Port of the zone's servers. */
  readonly serverPort: number;
  /** Reads the MTA-STS policy file of a domain. */
  readonly readPolicyFile: (domain: string) => Promise<Result<string, string>>;
  /** Sends nothing but GET and the service's own check. */
  readonly client: Pick<FullClient, 'verifyDomain' | 'getDomain' | 'listLogs' | 'version'>;
  /** Plans the domain alone. */
  readonly plan: () => Promise<Result<Planned, ApiError>>;
  /** Tries the expectations of the domain and these addresses in an emulator. */
  readonly rehearse: (addresses: readonly FormerAddress[]) => Promise<Read<Rehearsal>>;
  readonly state: Pick<StateStore, 'lock' | 'moves' | 'place'>;
  readonly show: MoveShow;
}

/** Functions that make what was read safe to show. */
export interface MoveShow {
  readonly text: SafeText;
  readonly destinations: (destinations: readonly Destination[]) => string;
}
