import { durationText } from '../../../../core/model/clock.ts';
import { html, markupOf, type Html } from './html.ts';

/** Frame around the content of every page. */
export interface Frame {
  /** Title of the window. */
  readonly title: string;
  /** Base path without a slash at its end; empty if there is none. */
  readonly basePath: string;
  readonly version: string;
  /** True if the reader has signed in, and may sign out. */
  readonly signedIn: boolean;
  /** True if parts of the page are refreshed by JavaScript. */
  readonly isLive: boolean;
}

/** Renders a whole document. */
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

/** Renders the time since, or until, a moment. The exact time is shown on demand. */
export function ago(at: number | null, now: number): Html {
  if (at === null) return html`never`;
  const iso = new Date(at).toISOString();
  const span = durationText(Math.abs(now - at));
  const text = Math.abs(now - at) < 4_500 ? 'now' : at > now ? `in ${span}` : `${span} ago`;
  return html`<time datetime="${iso}" title="${iso}">${text}</time>`;
}

/** Maximum length of advice. It is generous, because a command cut short is useless. */
const LONGEST_ADVICE = 4_000;

/** Renders advice. Text between backticks, such as a command, is shown as code. */
export function advice(text: string): Html {
  const parts = brief(text, LONGEST_ADVICE).split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Shortens text from strangers, so that one item does not fill the page. */
export function brief(text: string, letters = 300): string {
  return text.length <= letters ? text : `${text.slice(0, letters)}…`;
}
