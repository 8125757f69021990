import { success } from '../protocol.ts';
import type { Route } from '../routes.ts';
import { renderAccount } from './render.ts';

export const accountRoutes: readonly Route[] = [
  {
    version: 'v4',
    method: 'GET',
    template: '/account',
    handle: ({ state }) => success({ account: renderAccount(state) }),
  },
];
