import { success, type Reply } from '../http/protocol.ts';
import type { Context, Route } from '../http/routes.ts';
import { renderAccount as renderV4Account } from '../v4/render.ts';
import { renderAccount } from './render.ts';
import { v3Route } from './routes.ts';

export const v3AccountRoutes: readonly Route[] = [
  v3Route('GET', '/account', account),
  v3Route('GET', '/account/whitelabels', ({ state }) =>
    success({ whitelabels: state.whitelabels.map((name) => ({ name })) }),
  ),
];

function account({ state }: Context): Reply {
  const render = state.switches.v3AccountShape === 'v3' ? renderAccount : renderV4Account;
  return success({ account: render(state) });
}
