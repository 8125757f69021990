import type { Desired } from '../../model/desired.ts';
import { editDistance } from '../../model/names.ts';
import type { Observed } from '../../model/observed.ts';
import type { Warning } from '../../model/plan.ts';
import { compareText } from '../sorting.ts';

/** Above so many comparisons it is a move of a whole portfolio, in which a slip of the pen is found otherwise. */
const MOST_COMPARISONS = 2_000_000;
const NEAR = 2;

/** Domains that would be added although a live one is called almost the same: perhaps a slip of the pen. */
export function similarDomainWarnings(desired: Desired, observed: Observed): readonly Warning[] {
  const added = [...desired.domains.values()].filter(
    (entry) => entry.state === 'present' && !observed.domains.has(entry.domain),
  );
  if (added.length * observed.domains.size > MOST_COMPARISONS) return [];
  const live = [...observed.domains.keys()].sort(compareText);
  return added.flatMap(({ domain, source }) => {
    const similar = live.find((other) => editDistance(domain, other, NEAR) <= NEAR);
    if (similar === undefined) return [];
    const message = `${domain} would be added, while the account has ${similar}`;
    return [{ code: 'similar-domain', message, hint: 'check the spelling of the name', source }];
  });
}
