import { beforeEach, expect } from 'vitest';
import type { Answer, Body, Target } from './target.ts';

/** A new domain without aliases for each test of the file, and requests for its lists in both versions. */
export interface EmptyDomain {
  /** `/domains/NAME`. Use it only inside tests. */
  readonly root: () => string;
  /** Sends a request to a path below the domain. */
  readonly send: (method: string, below: string, body?: unknown) => Promise<Answer>;
}

export interface EmptyList extends EmptyDomain {
  readonly post: (fields: unknown) => Promise<Answer>;
  /** Sends a batch request. */
  readonly batch: (method: string, body: unknown) => Promise<Answer>;
  /** The path of one item. */
  readonly one: (id: string) => string;
  readonly total: () => Promise<number>;
  /** The first hundred items. */
  readonly live: () => Promise<Body[]>;
}

export const forward = 'ana@corp.example';
export const password = 'correct horse battery';
export const CONFIGS = {
  alias: { alias: 'jobs', forward },
  regex: { regex: '.*invoice.*', scopes: ['subject', 'body'], forward },
  cel: { expression: 'sender.endsWith("@vip.example")', forward },
};

/** Call at the top of a file. */
export function useEmptyDomain(target: Target): EmptyDomain {
  let name = '';
  beforeEach(async () => {
    name = await target.emptyDomain();
  });
  const root = (): string => `/domains/${name}`;
  return { root, send: (method, below, body) => target.send(method, root() + below, body) };
}

export function useEmptyList(target: Target, list: 'aliases' | 'rules' | 'credentials'): EmptyList {
  const domain = useEmptyDomain(target);
  return {
    ...domain,
    post: (fields) => domain.send('POST', `/${list}`, fields),
    batch: (method, body) => domain.send(method, `/${list}/batch`, body),
    one: (id) => `${domain.root()}/${list}/${id}`,
    total: async () => (await domain.send('GET', `/${list}`)).body.total,
    live: async () => (await domain.send('GET', `/${list}?limit=100`)).body[list],
  };
}

/** Adds items in one batch, which must all succeed. */
export async function addBatch(
  list: EmptyList,
  field: 'aliases' | 'rules',
  items: readonly object[],
): Promise<Body[]> {
  const { status, body } = await list.batch('POST', { [field]: items });
  expect(status).toBe(200);
  return body.added;
}

/** Adds a rule; by default an alias rule. */
export async function addRule(
  rules: EmptyList,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Body> {
  const { status, body } = await rules.post({ type: 'alias', config: CONFIGS.alias, ...fields });
  expect(status).toBe(200);
  return body.rule;
}
