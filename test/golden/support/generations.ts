import type { JournalEntry } from '../../../src/emulator/http/journal.ts';
import type { SavedPlan } from '../../../src/core/plan/document/saved.ts';
import type { GoldenCase } from './case.ts';
import type { CaseOutcome } from './run-case.ts';

/**
 * Parts of an outcome that must be equal on v4 and v3: everything except the differences in docs/api.md and the files that the case
 * lists as different.
 */
export function comparable(outcome: CaseOutcome, { options }: Pick<GoldenCase, 'options'>): unknown {
  const { plan, planDocument, apply, applyRequests, texts } = outcome;
  const parts = {
    'plan.txt': {
      text: asOnBoth(texts['plan.txt'] ?? ''),
      document: planDocument === null ? null : documentOnBoth(planDocument),
      exitCode: plan.exitCode,
    },
    'report.txt': { text: asOnBoth(texts['report.txt'] ?? ''), exitCode: apply.exitCode },
    'requests.txt': [...Map.groupBy(applyRequests.filter(isWrite), domainOf)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([domain, entries]) => [domain, entries.map(summarise)]),
    'end.json': texts['end.json'],
  };
  const differing = new Set(options.v3?.files);
  return Object.fromEntries(Object.entries(parts).filter(([file]) => !differing.has(file)));
}

/** Pages, proofs and verification use other requests and other time. v3 shows no limit of rules. */
function asOnBoth(text: string): string {
  return text
    .replace(/\n {4,}/g, ' ') // lines break elsewhere where an endpoint has a longer name
    .replace(/^\d+ requests?, \d+ of them (?:a write|writes); about .*$/gm, 'FORECAST')
    .replace(/ \d+ requests? in .*\.$/gm, ' REQUESTS')
    .replace(/^(Of the account's limits: .*); \d+ of \d+ rules in the manifest's domains\.$/gm, '$1.')
    .replace(/^Of the account's limits: \d+ of \d+ rules in the manifest's domains\.\n/gm, '')
    .replaceAll('http://emulator/v3', 'http://emulator/v4')
    .replaceAll('/aliases/:alias', '/aliases/:id');
}

/** Digest, checksum and seal include the address. In the forecast the writes are equal, except for the request to verify a domain. */
function documentOnBoth(document: SavedPlan): unknown {
  const {
    createdAt: _,
    digest: __,
    checksum: ___,
    seal: ____,
    api,
    forecast,
    usage,
    changes,
    ...rest
  } = document;
  const writes = forecast.endpoints.filter(
    ({ endpoint }) => !endpoint.startsWith('GET ') && !endpoint.endsWith('/verify'),
  );
  return {
    ...rest,
    changes: changes.map((change) => ({ ...change, observed: withoutWebhook(change.observed) })),
    account: api.account,
    usage: usage?.filter(({ what }) => what !== 'rules'),
    writes: writes
      .map(({ endpoint, ...counts }) => ({ endpoint: nameOnBoth(endpoint), ...counts }))
      .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1)),
  };
}

/** The request to verify a domain is a POST on v4 and a GET on v3. It changes nothing. */
function isWrite({ method, endpoint }: JournalEntry): boolean {
  return method !== 'GET' && endpoint !== '/domains/:domain/verify';
}

function domainOf({ path }: JournalEntry): string {
  return /^\/domains\/([^/?]+)/.exec(path)?.[1] ?? '';
}

function summarise({ method, endpoint, body, status }: JournalEntry): unknown {
  return {
    request: nameOnBoth(`${method} ${endpoint}`),
    body: withoutWebhook(body),
    accepted: status === null ? null : status < 300,
  };
}

function nameOnBoth(endpoint: string): string {
  return endpoint.replace('/aliases/:alias', '/aliases/:id');
}

/** Removes a setting that only v3 has; an update of a domain sends it unchanged. */
function withoutWebhook(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => field !== 'webhook'));
}
