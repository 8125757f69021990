import type { Desired } from '../../model/desired.ts';
import type { Observed } from '../../model/observed.ts';
import type { ManifestSize, Prior } from '../../model/prior.ts';
import type { DomainPlan } from '../diff/section.ts';
import type { Policy } from '../policy.ts';

export interface GuardInput {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly policy: Policy;
  readonly prior: Prior;
  readonly domains: readonly DomainPlan[];
  readonly size: ManifestSize;
}
