import type { Notice } from './notices.ts';

export const NOTIFY_FORMATS = ['json', 'slack', 'teams'] as const;
export type NotifyFormat = (typeof NOTIFY_FORMATS)[number];

/**
 * Builds the body for each kind of webhook. `at` is in ISO 8601. The text of a notice is for people and contains
 * names that strangers chose.
 */
export const NOTIFY_BODIES: Readonly<Record<NotifyFormat, (notice: Notice, at: string) => object>> = {
  json: ({ event, account, text, count }, at) => ({ text, event, account, count, at }),
  slack: slackBody,
  teams: teamsBody,
};

const SIGNS: Readonly<Record<Notice['event'], string>> = {
  'drift-found': '⚠️',
  'apply-failed': '❌',
  'manifest-invalid': '❌',
  recovered: '✅',
  'delivery-failing': '❌',
  'delivery-recovered': '✅',
};

/**
 * Builds the body for Slack's incoming webhooks. Slack shows `text` where it cannot show blocks. A block takes 3,000
 * characters.
 */
function slackBody({ event, text }: Notice): object {
  const shown = `${SIGNS[event]} ${text}`;
  return {
    text: escapeSlack(shown),
    blocks: [{ type: 'section', text: { type: 'plain_text', emoji: false, text: cut(shown, 2_900) } }],
  };
}

/** Escapes text for Slack, which reads `<…>` as a link, a person or a channel. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Builds an adaptive card for Teams, workflow "When a Teams webhook request is received". Text runs have no Markdown.
 */
function teamsBody({ event, text }: Notice): object {
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
    body: [line(`${SIGNS[event]} ${first}`, { weight: 'Bolder' }), ...rest.map((shown) => line(shown))],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters)}…`;
}
