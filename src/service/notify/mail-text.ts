import { showTime } from '../../core/model/clock.ts';
import { escapeInvisible, plural } from '../../core/model/names.ts';
import { MOST_ITEMS, noticeLink, type Notice, type NoticeEvent, NOTICE_EVENTS } from './notice.ts';
import type { MailBatch, WaitingNotice } from './outbox.ts';

/** Names each event in a subject, with the number of notices. No word of it comes from outside. */
const SUBJECTS: Readonly<Record<NoticeEvent, (count: number) => string>> = {
  'manifest-invalid': () => 'the manifest is invalid',
  'delivery-failing': (count) => (count === 1 ? '1 failing delivery' : `${count} failing deliveries`),
  'apply-failed': (count) => plural(count, 'failed run'),
  'changes-withheld': () => 'changes withheld',
  'changes-frozen': () => 'changes left alone',
  'drift-found': () => 'drift',
  recovered: (count) => (count === 1 ? 'resolved' : `${count} resolved`),
  'delivery-recovered': () => 'mail arrives again',
  'domain-not-receiving': (count) =>
    count === 1 ? 'a domain does not receive mail' : `${count} domains do not receive mail`,
  'domain-receiving': (count) =>
    count === 1 ? 'a domain receives mail again' : `${count} domains receive mail again`,
};

/** Names that cannot be mistaken for anything else in a header. */
const SAFE_NAME = /^[a-z\d][\w.@+-]{0,99}$/i;

/** Returns the subject and the text of a mail. */
export function mailText(
  { kind, notices, dropped }: MailBatch,
  pageUrl: string | null,
): { readonly subject: string; readonly text: string } {
  const byAccount = Map.groupBy(notices, ({ notice }) => notice.account);
  const head =
    kind === 'gathered'
      ? `What happened since the last mail: ${plural(notices.length, 'notification')}.`
      : null;
  const parts = [...byAccount].map(([account, own]) => accountText(account, own, pageUrl));
  const more = dropped === 0 ? null : `${dropped} more notifications were not kept: the log has all of them.`;
  const page = pageUrl === null ? null : `Page: ${pageUrl}/`;
  const lines = [head, ...parts, more, page].filter((part) => part !== null);
  return { subject: subjectOf(notices.map(({ notice }) => notice)), text: `${lines.join('\n\n')}\n` };
}

function subjectOf(notices: readonly Notice[]): string {
  const accounts = new Set(notices.map(({ account }) => account));
  const [account = ''] = accounts;
  const name = accounts.size === 1 && SAFE_NAME.test(account) ? ` ${account}` : '';
  const by = Map.groupBy(notices, ({ event }) => event);
  const what = NOTICE_EVENTS.flatMap((event) => {
    const some = by.get(event) ?? [];
    return some.length === 0 ? [] : [SUBJECTS[event](some.length)];
  });
  return `fwdsync${name}: ${what.join(', ')}`;
}

function accountText(account: string, notices: readonly WaitingNotice[], pageUrl: string | null): string {
  const head = account === '' ? 'All accounts' : `Account ${oneLine(account)}`;
  return [head, ...notices.map((entry) => entryText(entry, pageUrl))].join('\n\n');
}

/** Indents what may come from outside, so that no line of it looks like one of the mail's own. */
function entryText({ at, notice }: WaitingNotice, pageUrl: string | null): string {
  const { headline, items, count } = notice;
  const more = items.length === MOST_ITEMS && count > MOST_ITEMS ? [`and ${count - MOST_ITEMS} more`] : [];
  const link = pageUrl === null || items.length === 0 ? [] : [noticeLink([notice], pageUrl) ?? ''];
  const lines = [...items.map(({ text }) => oneLine(text)), ...more, ...link];
  return [`${showTime(at)}  ${oneLine(headline)}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

function oneLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s+/g, ' ').trim());
}
