import { html, type Html } from './html.ts';

/** Fault of the given token; null if no token was given. */
export type SignInFault = 'wrong' | { readonly seconds: number } | null;

export function renderSignIn(fault: SignInFault, basePath: string): Html {
  const message =
    fault === 'wrong'
      ? 'Wrong token.'
      : fault === null
        ? null
        : `Too many wrong tokens: try again in ${fault.seconds} s.`;
  return html`<section class="card narrow" aria-labelledby="sign-in-title">
    <h1 id="sign-in-title">Sign in</h1>
    <p>Enter the access token (<code>FWDSYNC_PAGE_TOKEN</code>).</p>
    ${message === null ? null : html`<p class="fault" id="fault" role="alert">${message}</p>`}
    <form method="post" action="${basePath}/login" class="stack">
      <input
        class="unseen"
        type="text"
        name="user"
        value="fwdsync"
        autocomplete="username"
        readonly
        tabindex="-1"
        aria-hidden="true"
      />
      <label for="token">Token</label>
      <input
        type="password"
        id="token"
        name="token"
        required
        autocomplete="current-password"
        ${message === null ? null : html`aria-invalid="true" aria-describedby="fault"`}
      />
      <button>Sign in</button>
    </form>
  </section>`;
}

/** Renders the page for a server without a token that strangers could reach. */
export function renderClosed(why: string): Html {
  return html`<section class="card narrow" aria-labelledby="closed-title">
    <h1 id="closed-title">Not served here</h1>
    <p>${why}</p>
  </section>`;
}
