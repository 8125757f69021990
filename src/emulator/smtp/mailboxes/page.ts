import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { CONTROL_ROOT } from '../../control/control.ts';
import type { EmulatorAnswer } from '../../http/protocol.ts';
import { headerLength } from '../headers.ts';
import type { ParsedMail } from '../receive/parse.ts';
import { markup, type MailHtml } from './html.ts';
import type { ArrivedMail } from './mailboxes.ts';

const PAGE = `${CONTROL_ROOT}/mail`;
const MAX_SHOWN = 100_000;
const NOTHING = markup`<p>No mail has arrived yet.</p>`;
const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.3rem .6rem;text-align:left;overflow-wrap:anywhere}
pre{background:#f4f4f4;overflow:auto;padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}
.time{white-space:nowrap}iframe{border:1px solid #ccc;height:30rem;width:100%}@media(prefers-color-scheme:dark){:root{color-scheme:dark}pre{background:#222}}`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Renders the page with all mailboxes. */
export function overviewPage(boxes: readonly (readonly [string, readonly ArrivedMail[]])[]): EmulatorAnswer {
  const rows = boxes.map(
    ([address, mails]) =>
      markup`<tr>
        <td><a href="${linkTo(address)}">${address}</a></td>
        <td>${mails.length}</td>
      </tr>`,
  );
  const table = markup`<table>
    <tr>
      <th>Mailbox</th>
      <th>Messages</th>
    </tr>
    ${rows}
  </table>`;
  return page('Mailboxes', [boxes.length === 0 ? NOTHING : table]);
}

export function mailboxPage(address: string, mails: readonly ArrivedMail[]): EmulatorAnswer {
  const rows = mails.toReversed().map(
    (mail) =>
      markup`<tr>
        <td class="time">${time(mail)}</td>
        <td>${mail.from || mail.sender || 'null sender'}</td>
        <td>${mail.recipient}</td>
        <td><a href="${linkTo(address, mail.id)}">${mail.subject || '(no subject)'}</a></td>
      </tr>`,
  );
  const table = markup`<table>
    <tr>
      <th>Arrived (UTC)</th>
      <th>From</th>
      <th>Sent to</th>
      <th>Subject</th>
    </tr>
    ${rows}
  </table>`;
  const back = markup`<p><a href="${PAGE}">All mailboxes</a></p>`;
  return page(address, [back, mails.length === 0 ? NOTHING : table]);
}

/** Renders one mail. Its HTML is in a frame that runs nothing and loads nothing. */
export function mailPage(mail: ArrivedMail, raw: Buffer, parsed: ParsedMail): EmulatorAnswer {
  const facts = [
    ['Arrived (UTC)', time(mail)],
    ['From', mail.from],
    ['Envelope sender', mail.sender || 'null sender'],
    ['Sent to', mail.recipient],
  ].filter(([, value]) => value !== '');
  const file = linkTo(mail.address, mail.id, 'raw').replace(PAGE, `${CONTROL_ROOT}/mailboxes`);
  const head = markup`<p><a href="${linkTo(mail.address)}">${mail.address}</a></p>
    <table>
      ${facts.map(
        ([name = '', value = '']) =>
          markup`<tr>
            <th>${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </table>
    <p><a href="${file}">Download</a></p>`;
  if (mail.type === 'json') return page('Webhook', [head, block('Body', raw.toString('utf8'))]);
  const title = parsed.ok ? parsed.parts.subject || '(no subject)' : 'A message that cannot be read';
  const header = raw.toString('utf8', 0, headerLength(raw)).replaceAll('\r\n', '\n');
  return page(title, [head, ...contentOf(mail, parsed), block('Header', header)]);
}

function contentOf({ address, id }: ArrivedMail, parsed: ParsedMail): readonly MailHtml[] {
  if (!parsed.ok) return [markup`<p>${parsed.reason}</p>`];
  const { text, html: content, attachments } = parsed.email;
  const frame = markup`<h2>HTML</h2>
    <iframe sandbox title="HTML of the message" src="${linkTo(address, id, 'html')}"></iframe>`;
  const files = attachments.map(
    ({ filename, mimeType, content }) =>
      `${filename ?? '(no name)'}  ${mimeType}  ${typeof content === 'string' ? content.length : content.byteLength} bytes`,
  );
  return [
    ...(text === undefined ? [] : [block('Text', text)]),
    ...(content === undefined ? [] : [frame]),
    ...(files.length === 0 ? [] : [block('Attachments', files.join('\n'))]),
  ];
}

function block(title: string, text: string): MailHtml {
  return markup`<h2>${title}</h2>
    <pre>${text.slice(0, MAX_SHOWN)}</pre>`;
}

/**
 * Returns the HTML of a mail for the frame. It has no scripts, no forms and no external resources, even if it is opened
 * outside the frame.
 */
export function frameAnswer(content: string): EmulatorAnswer {
  return answerHtml(
    content,
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  );
}

function page(title: string, content: readonly MailHtml[]): EmulatorAnswer {
  const whole = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${{ html: `<style>${STYLE}</style>` }}
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`;
  return answerHtml(
    whole.html,
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  );
}

function answerHtml(body: string, policy: string): EmulatorAnswer {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
  return { status: 200, headers, body };
}

function linkTo(...steps: readonly string[]): string {
  return [PAGE, ...steps.map((step) => encodeURIComponent(step))].join('/');
}

function time({ arrivedAt }: ArrivedMail): string {
  return new Date(arrivedAt).toISOString().slice(0, 19).replace('T', ' ');
}
