import type { JournalEntry } from '../../src/emulator/journal.ts';
import type { CaseOutcome } from './run-case.ts';

/** What of an outcome has to be the same on v4 and v3: all but the ids of aliases, statuses and numbers of requests. */
export function comparable({ plan, apply, applyRequests, texts }: CaseOutcome): unknown {
  return {
    plan: withoutNumbers(plan.stdout),
    planExit: plan.exitCode,
    report: withoutNumbers(apply.stdout),
    applyExit: apply.exitCode,
    writes: [...Map.groupBy(applyRequests.filter(isWrite), domainOf)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([domain, entries]) => [domain, entries.map(summarise)]),
    end: texts['end.json'],
  };
}

/** Pages, proofs and headers differ, and so the forecast and the count of requests. */
function withoutNumbers(text: string): string {
  return text
    .replace(/\n {4,}/g, ' ') // lines break elsewhere where an endpoint has a longer name
    .replace(/^\d+ requests?, .* per endpoint\)\.$/gm, 'FORECAST')
    .replace(/^Of the account's limits: .*\n/gm, '') // v3 states no limit of rules
    .replace(/ \d+ requests? in .*\.$/gm, ' REQUESTS')
    .replace(/^Undo: .*$/gm, 'UNDO')
    .replaceAll('/aliases/:alias', '/aliases/:id');
}

function isWrite({ method }: JournalEntry): boolean {
  return method !== 'GET';
}

function domainOf({ path }: JournalEntry): string {
  return /^\/domains\/([^/?]+)/.exec(path)?.[1] ?? '';
}

function summarise({ method, endpoint, body, status }: JournalEntry): unknown {
  return {
    request: `${method} ${endpoint?.replace('/aliases/:alias', '/aliases/:id')}`,
    body: withoutWebhook(body),
    accepted: status === null ? null : status < 300,
  };
}

/** A setting that v3 alone has: an update of a domain sends it along as it is. */
function withoutWebhook(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => field !== 'webhook'));
}
