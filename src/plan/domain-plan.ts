import type { DomainName } from '../model/names.ts';
import type { Adoption, Change, Warning, Withheld } from '../model/plan.ts';
import type { Problem } from '../model/problem.ts';
import type { SectionPlan } from './diff/section.ts';

/** All that is planned in one domain, and the numbers that the guards need. */
export interface DomainPlan {
  readonly domain: DomainName;
  readonly changes: readonly Change[];
  readonly sections: readonly SectionPlan[];
  readonly unchanged: number;
  readonly unmanaged: number;
  readonly withheld: readonly Withheld[];
  readonly warnings: readonly Warning[];
  readonly problems: readonly Problem[];
  readonly adoptions: readonly Adoption[];
}
