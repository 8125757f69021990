import type { PlanDocument } from '../document/document.ts';
import { plural } from '../../model/names.ts';
import { ASSUMED_WINDOW_MS } from '../../rate-limit/budget.ts';
import { withheldReason } from '../withhold.ts';

/** Returns `2 to add, 1 to delete; 118 unchanged, 3 unmanaged.` */
export function countsSentence({
  summary,
  withheld,
  guards,
}: Pick<PlanDocument, 'summary' | 'withheld' | 'guards'>): string {
  const parts = [
    [summary.add, 'to add'],
    [summary.update, 'to update'],
    [summary.move, 'to move'],
    [summary.delete, `to delete${countedDeletes(summary.delete, guards)}`],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const conditional = summary.conditional > 0 ? ` (${summary.conditional} of them conditional)` : '';
  const nothing =
    withheld.length === 0 ? 'Nothing to change' : 'Nothing to change outside the withheld parts';
  const changes = told.length === 0 ? nothing : `${told.join(', ')}${conditional}`;
  const silenced = summary.silenced > 0 ? `, ${silencedWords(summary.silenced)}` : '';
  return `${changes}; ${summary.unchanged} unchanged, ${summary.unmanaged} unmanaged${silenced}.`;
}

/** Returns `2 findings silenced`, hidden by `lint.off`. */
export function silencedWords(count: number): string {
  return `${plural(count, 'finding')} silenced`;
}

/**
 * Returns the counted deletes if they are fewer than the shown ones. Type changes, conditional deletes and items
 * deleted with a domain do not count.
 */
function countedDeletes(deletes: number, guards: PlanDocument['guards']): string {
  const counted = guards.flatMap(({ allow }) => /^--allow-deletes (\d+)$/.exec(allow ?? '')?.[1] ?? [])[0];
  return counted === undefined || Number(counted) === deletes ? '' : ` (${counted} for --allow-deletes)`;
}

/** Returns the unchanged items of a domain that has changes. */
export function unchangedIn({ unchanged }: Pick<PlanDocument, 'unchanged'>, domain: string): number {
  return Object.hasOwn(unchanged, domain) ? (unchanged[domain] ?? 0) : 0;
}

/**
 * Returns `15 requests, 6 of them writes; about 2 min: reading 50 s, writing 61 s, verifying <1 s.`, with the rate if
 * the run waits for a window; null if nothing will be sent.
 */
export function forecastSentence({ forecast }: Pick<PlanDocument, 'forecast'>): string | null {
  const { requests, writes, total, phases } = forecast;
  if (requests === 0) return null;
  const written = writes === 1 ? '1 of them a write' : `${writes} of them writes`;
  const head = `${plural(total.requests, 'request')}, ${written}; about`;
  if (total.seconds < LEAST_SECONDS) return `${head} ${showSeconds(Math.max(1, total.seconds))}.`;
  const told = PHASES.map((name) => `${name} ${showSeconds(phases[name].seconds)}`).join(', ');
  return `${head} ${showSeconds(total.seconds)}: ${told}.${rateSentence(forecast)}`;
}

/** The shortest run, in seconds, whose phases are shown. */
const LEAST_SECONDS = 10;
const PHASES = ['reading', 'writing', 'verifying'] as const;

/** Describes the rate limit if waiting for windows takes most of the time. */
function rateSentence({ limit, windowSeconds, total }: PlanDocument['forecast']): string {
  if (limit === null || total.seconds < (windowSeconds ?? ASSUMED_WINDOW_MS / 1000)) return '';
  const assumed = `, which is assumed to last ${ASSUMED_WINDOW_MS / 1000} s`;
  const window = windowSeconds === null ? `window${assumed}` : `${windowSeconds} s`;
  return ` The service takes ${plural(limit, 'request')} per endpoint and ${window}.`;
}

/** Returns `Of the account's limits: 19 of 20 domains.`; null if nothing with a known limit is added or deleted. */
export function usageSentence({ usage = [] }: Pick<PlanDocument, 'usage'>): string | null {
  if (usage.length === 0) return null;
  const parts = usage.map(({ what, used, limit }) => {
    // The items of other domains are unknown.
    const where = what === 'domains' ? '' : " in the manifest's domains";
    return `${used} of ${limit} ${what}${where}`;
  });
  return `Of the account's limits: ${parts.join('; ')}.`;
}

/** From this share of a limit it is shown even in short output. */
const NEARLY_USED = 0.8;

/** Returns the usage sentence for limits that are nearly used up or exceeded. */
export function scarcitySentence({ usage = [] }: Pick<PlanDocument, 'usage'>): string | null {
  return usageSentence({ usage: usage.filter(({ used, limit }) => used >= NEARLY_USED * limit) });
}

function showSeconds(seconds: number): string {
  if (seconds < 1) return '<1 s';
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** True if the refused parts were withheld, so that the rest runs. */
export function runsInPart({
  options,
  guards,
  withheld,
}: Pick<PlanDocument, 'options' | 'guards' | 'withheld'>): boolean {
  const held = new Set(withheld.map(({ reason }) => reason));
  return options.skipRefused === true && guards.some((finding) => held.has(withheldReason(finding)));
}
