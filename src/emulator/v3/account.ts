import { success, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext, ApiRoute } from '../http/routes.ts';
import { renderAccount } from '../v4/render.ts';
import { renderV3Account } from './render.ts';
import { v3Route } from './routes.ts';

export const v3AccountRoutes: readonly ApiRoute[] = [
  v3Route('GET', '/account', account),
  v3Route('GET', '/account/whitelabels', ({ state }) =>
    success({ whitelabels: state.whitelabels.map((name) => ({ name })) }),
  ),
];

function account({ state }: RequestContext): HandlerReply {
  const render = state.switches.v3AccountShape === 'v3' ? renderV3Account : renderAccount;
  return success({ account: render(state) });
}
