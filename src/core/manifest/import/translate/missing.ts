import type { ImportedDomain, LeftOut } from '../translated.ts';
import type { PlannedPattern } from './planned.ts';

/** A left-out part whose mail is not routed yet. */
export interface Missing extends Omit<LeftOut, 'fallsTo'> {
  /**
   * The mail of the missing part: that of an address, of a pattern, of every name, or none that goes elsewhere now.
   */
  readonly mail:
    | { readonly kind: 'address' | 'everything' | 'none' }
    | { readonly kind: 'pattern'; readonly plan: PlannedPattern };
}

/** A domain whose missing parts are not routed yet. */
export interface TranslatedDomain extends Omit<ImportedDomain, 'leftOut'> {
  readonly missing: readonly Missing[];
}

/** Lists the missing parts of a pattern: all of it if its order is lost, otherwise its lost destinations. */
export function missingParts(plan: PlannedPattern, order: 'kept' | 'lost'): readonly Missing[] {
  const { forward, lost } = plan;
  const mail = { kind: 'pattern', plan } as const;
  if (order === 'lost') return [{ ...placeOfPattern(plan), reason: 'order', mail }];
  if (forward.length === 0 && lost.length === 0)
    return [{ ...placeOfPattern(plan), reason: 'refused', mail }];
  const falls = forward.length === 0 ? mail : ({ kind: 'none' } as const);
  return [...new Set(lost)].map((reason) => ({
    ...placeOfPattern(plan),
    reason,
    mail: falls,
    isPart: forward.length > 0,
  }));
}

export function placeOfPattern({ span, shown }: PlannedPattern): Pick<Missing, 'span' | 'address'> {
  return { span, address: shown };
}
