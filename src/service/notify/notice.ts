import type { Source } from '../../core/model/manifest/problem.ts';
import type { ChangeDocument } from '../../core/plan/document/document.ts';

/** The events that people are told of, the most severe first. `good`: something bad is over. */
export const TONES = {
  'manifest-invalid': 'bad',
  'domain-not-receiving': 'bad',
  'delivery-failing': 'bad',
  'apply-failed': 'bad',
  'changes-withheld': 'warning',
  'changes-frozen': 'warning',
  'drift-found': 'warning',
  recovered: 'good',
  'delivery-recovered': 'good',
  'domain-receiving': 'good',
} as const;
export type NoticeEvent = keyof typeof TONES;
export const NOTICE_EVENTS = Object.keys(TONES) as readonly NoticeEvent[];

/** A message for people. */
export interface Notice {
  readonly event: NoticeEvent;
  readonly account: string;
  /** Says what happened, without the account. */
  readonly headline: string;
  /** The items that it happened to; of many only the first. */
  readonly items: readonly NoticeItem[];
  /** Number of items or problems that the notice is about. */
  readonly count: number;
  /** True for what cannot wait: nothing works until a person acts, or it works again. */
  readonly urgent: boolean;
}

export interface NoticeItem {
  /** One line: the item, its old and new value, and where it is written. */
  readonly text: string;
  readonly domain: string | null;
  /** The value before and after, as in the document of a plan; null if there is none. */
  readonly from: ChangeDocument['observed'];
  readonly to: ChangeDocument['desired'];
  readonly source: Source | null;
}

/** Maximum number of items that a notice has. The others are counted. */
export const MOST_ITEMS = 50;
/** Maximum number of items in a message of a chat. */
const MOST_NAMED = 10;

/** Returns a notice as lines for people. */
export function noticeText({ account, headline, items, count }: Notice): string {
  const head = `fwdsync${account === '' ? '' : ` ${account}`}: ${headline}`;
  const shown = items.slice(0, MOST_NAMED).map(({ text }) => text);
  const more = items.length === 0 ? 0 : count - shown.length;
  return [head, ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** Returns the page of what the notices are about: of their domain if they have one, else of all. */
export function noticeLink(notices: readonly Notice[], pageUrl: string | null): string | null {
  if (pageUrl === null) return null;
  const [domain, ...others] = new Set(notices.flatMap(({ items }) => items.map((item) => item.domain)));
  const isOne = typeof domain === 'string' && others.length === 0;
  return isOne ? `${pageUrl}/domains/${encodeURIComponent(domain)}` : `${pageUrl}/`;
}
