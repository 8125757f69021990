import { success } from '../http/protocol.ts';
import type { Route } from '../http/routes.ts';
import { renderAccount } from './render.ts';

export const accountRoutes: readonly Route[] = [
  {
    version: 'v4',
    method: 'GET',
    template: '/account',
    handle: ({ state }) => success({ account: renderAccount(state) }),
  },
];
