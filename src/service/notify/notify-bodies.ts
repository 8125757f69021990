import { TONES, type NoticeEvent, type NoticeItem } from './notice.ts';

export const WEBHOOK_FORMATS = ['json', 'slack', 'teams'] as const;
export const NOTIFY_FORMATS = [...WEBHOOK_FORMATS, 'mail'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
export type NotifyFormat = (typeof NOTIFY_FORMATS)[number];

/** A message to a chat or a program. */
export interface NotifyMessage {
  readonly event: NoticeEvent | 'test';
  readonly account: string;
  /** Text for people, one or a few lines. It contains names that strangers chose. */
  readonly text: string;
  readonly count: number;
  readonly items: readonly NoticeItem[];
  /** The page that shows more; null if its address is not known. */
  readonly link: string | null;
}

/** Builds the body for each kind of webhook. `at` is in ISO 8601. */
export const NOTIFY_BODIES: Readonly<Record<WebhookFormat, (message: NotifyMessage, at: string) => object>> =
  {
    json: ({ event, account, text, count, items, link }, at) => ({
      text,
      event,
      account,
      count,
      at,
      items,
      link,
    }),
    slack: slackBody,
    teams: teamsBody,
  };

const SIGNS = { bad: '❌', warning: '⚠️', good: '✅' } as const;

function signOf(event: NotifyMessage['event']): string {
  return SIGNS[event === 'test' ? 'good' : TONES[event]];
}

/**
 * Builds the body for Slack's incoming webhooks. Slack shows `text` where it cannot show blocks. A block takes 3,000
 * characters.
 */
function slackBody({ event, text, link }: NotifyMessage): object {
  // Only the end of a long text is cut, not the link.
  const end = link === null ? '' : `\n${link}`;
  const shown = `${cut(`${signOf(event)} ${text}`, 2_900 - end.length)}${end}`;
  return {
    text: escapeSlack(shown),
    blocks: [{ type: 'section', text: { type: 'plain_text', emoji: false, text: shown } }],
  };
}

/** Escapes text for Slack, which reads `<…>` as a link, a person or a channel. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Builds an adaptive card for Teams, workflow "When a Teams webhook request is received". Text runs have no Markdown.
 */
function teamsBody({ event, text, link }: NotifyMessage): object {
  const [first = '', ...rest] = cut(text, 20_000).split('\n');
  const line = (shown: string, more: object = {}): object => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: shown, ...more }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [line(`${signOf(event)} ${first}`, { weight: 'Bolder' }), ...rest.map((shown) => line(shown))],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Show', url: link }] }),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters)}…`;
}
