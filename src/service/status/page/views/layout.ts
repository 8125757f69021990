import { durationText } from '../../../../core/model/clock.ts';
import { html, markupOf, type Html } from './html.ts';

/** What every page has around its content. */
export interface Frame {
  /** In the title of the window. */
  readonly title: string;
  /** Without a slash at its end; empty: none. */
  readonly basePath: string;
  readonly version: string;
  /** Whether somebody has signed in, and may sign out. */
  readonly signedIn: boolean;
  /** Whether parts of it are refreshed where there is JavaScript. */
  readonly isLive: boolean;
}

/** A whole document. */
export function renderPage(frame: Frame, content: Html): string {
  const { title, basePath, version, signedIn, isLive } = frame;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · fwdsync</title>
        <link rel="icon" href="${basePath}/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${basePath}/style.css" />
        ${isLive ? html`<script src="${basePath}/script.js" data-events="${basePath}/events" defer></script>` : null}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="${basePath}/">fwdsync</a> <span class="dim">${version}</span>
          <span class="grow"></span>
          ${isLive ? html`<span class="live" id="live" role="status"></span>` : null}
          ${signedIn ? html`<form method="post" action="${basePath}/logout"><button class="quiet">Sign out</button></form>` : null}
        </header>
        <main id="content" tabindex="-1">${content}</main>
      </body>
    </html> `;
  return markupOf(page);
}

/** How long ago something was, or how long it is until then; the exact time on demand. */
export function ago(at: number | null, now: number, never = 'never'): Html {
  if (at === null) return html`${never}`;
  const iso = new Date(at).toISOString();
  const span = durationText(Math.abs(now - at));
  const text = Math.abs(now - at) < 4_500 ? 'now' : at > now ? `in ${span}` : `${span} ago`;
  return html`<time datetime="${iso}" title="${iso}">${text}</time>`;
}

/** A command is of no use without its end. */
const LONGEST_ADVICE = 4_000;

/** Renders what a person can do; code between backticks, such as a command, is shown as code. */
export function advice(text: string): Html {
  const parts = brief(text, LONGEST_ADVICE).split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** A text of strangers, so that one item does not fill the page. */
export function brief(text: string, letters = 300): string {
  return text.length <= letters ? text : `${text.slice(0, letters)}…`;
}
