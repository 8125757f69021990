import { lazily } from '../../../routing/lazily.ts';
import { machineOf, type Machine } from '../../../routing/overlaps/common-words.ts';
import type { LeftOutReason, LocalPattern, Span, Target } from '../forwards.ts';
import { endsOfTargets } from '../resolve/ends.ts';
import type { Forwards } from '../resolve/find.ts';
import type { SourceReading } from '../resolve/reading.ts';

/** A pattern, and the end of the mail that it matches. */
export interface PlannedPattern {
  readonly span: Span;
  /** The pattern as written in the source. */
  readonly shown: string;
  readonly pattern: LocalPattern;
  /** Destinations for a manifest, with `$1` for groups of `text`. */
  readonly forward: readonly string[];
  readonly lost: readonly LeftOutReason[];
  /** The pattern with groups that match `forward`. */
  readonly text: string;
  readonly hasCaptures: boolean;
  /** True if the source removes labels before it tries the pattern. */
  readonly ignoresLabels: boolean;
  /** The index of its level in the reading. */
  readonly level: number;
  /** Returns the state machine of the pattern's words; null if it has too many states for a comparison. */
  readonly machine: () => Machine | null;
}

interface PatternSource {
  readonly ignoresLabels?: boolean;
  readonly span: Span;
  readonly shown: string;
  readonly pattern: LocalPattern;
  readonly targets: readonly Target[];
}

/** Follows the targets of a pattern that are the same for all mail that it matches. */
export function planPattern(source: PatternSource, forwards: Forwards, level = 0): PlannedPattern {
  const { span, shown, pattern, targets, ignoresLabels = false } = source;
  const isOpen = (target: Target): boolean => target.kind === 'template' || target.kind === 'same-name';
  const known = endsOfTargets(
    targets.filter((target) => !isOpen(target)),
    forwards,
  );
  const wraps = targets.some(({ kind }) => kind === 'same-name') && pattern.wholeGroup === null;
  const open = targets.filter(isOpen).map((target) => captureOf(target, pattern, wraps, forwards));
  const templates = open.filter((text) => text !== null);
  const isDropped = known.forward[0] === 'discard' && open.length > 0;
  return {
    span,
    shown,
    pattern,
    forward: [...(isDropped ? [] : known.forward), ...templates],
    lost: [...known.lost, ...(templates.length < open.length ? (['capture'] as const) : [])],
    text: wraps ? `(${pattern.text})` : pattern.text,
    hasCaptures: templates.length > 0,
    ignoresLabels,
    level,
    machine: lazily(() => machineOf(pattern.text)),
  };
}

/** Returns the destination with captures as the manifest writes it; null if other lines decide where its mail goes. */
function captureOf(target: Target, pattern: LocalPattern, wraps: boolean, forwards: Forwards): string | null {
  if (target.kind === 'same-name') {
    return isOutside(target.domain, forwards) ? `$${pattern.wholeGroup ?? 1}@${target.domain}` : null;
  }
  if (target.kind !== 'template') return null;
  const domain = target.text.slice(target.text.lastIndexOf('@') + 1);
  if (!isOutside(domain, forwards)) return null;
  const text = wraps
    ? target.text.replace(/\$(\d)/g, (_, digit: string) => `$${Number(digit) + 1}`)
    : target.text;
  return /\$\d\d/.test(text) ? null : text;
}

function isOutside(domain: string, { domains }: Forwards): boolean {
  return !domains.has(domain) && !domain.includes('$');
}

/** Plans the entry that takes all other mail; null if there is none. */
export function planRest({ rest, levels }: SourceReading, forwards: Forwards): PlannedPattern | null {
  if (rest === null) return null;
  const level = levels.length - 1;
  const own = { ...rest, shown: level === 0 ? rest.shown : `*@${levels[0]?.domain ?? ''}` };
  if (rest.lost === null) return planPattern(own, forwards, level);
  return { ...planPattern({ ...own, targets: [] }, forwards, level), lost: [rest.lost] };
}
