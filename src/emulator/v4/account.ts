import { success } from '../http/protocol.ts';
import type { ApiRoute } from '../http/routes.ts';
import { renderAccount } from './render.ts';

export const accountRoutes: readonly ApiRoute[] = [
  {
    version: 'v4',
    method: 'GET',
    template: '/account',
    handle: ({ state }) => success({ account: renderAccount(state) }),
  },
];
