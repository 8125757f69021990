import type { Span } from '../forwards.ts';
import { endsOfAddress } from '../resolve/ends.ts';
import { ANY_LABEL, type Forwards } from '../resolve/find.ts';
import type { SourceReading } from '../resolve/reading.ts';
import { hasSameEnds, type Overlaps } from './conflicts.ts';
import type { Missing } from './missing.ts';
import type { PlannedName } from './planned-names.ts';
import type { PlannedPattern } from './planned.ts';

interface Labelled {
  readonly domain: string;
  readonly reading: SourceReading;
  readonly forwards: Forwards;
  readonly overlaps: Overlaps;
  readonly names: readonly PlannedName[];
  /** Patterns in the manifest. */
  readonly kept: readonly PlannedPattern[];
}

/**
 * Lists mail with a label that the service routes differently: it gives that mail to the name before it tries a
 * pattern.
 */
export function missingLabels(labelled: Labelled): readonly Missing[] {
  const { reading, names, forwards, domain } = labelled;
  const hasPatterns = reading.levels.some(({ patterns, total }) => patterns.length > 0 || total !== null);
  if (!hasPatterns || forwards.delimiter !== '+') return [];
  const bare = names.filter(({ name }) => !name.includes('+'));
  const changed = bare.filter(
    ({ name, forward }) => !hasSameEnds(forward, labelEnds(name, domain, forwards)),
  );
  return [
    ...patternsBefore(labelled, bare),
    ...changed.map(({ span, name }): Missing => {
      return { span, address: `${name}+*@${domain}`, reason: 'label', mail: { kind: 'none' } };
    }),
  ];
}

/** Follows mail to a name with any label, ignoring patterns that do not take all mail. */
export function labelEnds(name: string, domain: string, forwards: Forwards): readonly string[] {
  const delimiter = forwards.delimiter ?? '+';
  return endsOfAddress(`${name}${delimiter}${ANY_LABEL}@${domain}`, forwards)?.forward ?? [];
}

/** Lists patterns that the source tries before it removes a label, if that matters to a name. */
function patternsBefore(
  { domain, reading, overlaps, kept }: Labelled,
  names: readonly PlannedName[],
): readonly Missing[] {
  return kept.flatMap((plan): readonly Missing[] => {
    if (plan.ignoresLabels || !overlaps.mayTakeLabels(plan, null)) return [];
    const differs = names.some(
      ({ name, forward }) =>
        plan.level <= (reading.names.get(name) ?? Infinity) &&
        (plan.hasCaptures || !hasSameEnds(forward, plan.forward)) &&
        overlaps.mayTakeLabels(plan, name),
    );
    if (!differs) return [];
    return [{ span: plan.span, address: `*+*@${domain}`, reason: 'label', mail: { kind: 'none' } }];
  });
}

/** Lists `list-request` addresses. Postfix does not split them, but an entry for labels takes them. */
export function missingRequests(
  span: Span | undefined,
  domain: string,
  { delimiter }: Forwards,
): readonly Missing[] {
  if (span === undefined || delimiter !== '-') return [];
  return [{ span, address: `*-request@${domain}`, reason: 'label', mail: { kind: 'none' } }];
}
