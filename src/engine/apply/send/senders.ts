import type { Client, ItemFailure, LiveItemRow } from '../../../client/client.ts';
import type { ApiError } from '../../../client/errors.ts';
import { showsFields } from '../../../core/fields/fields.ts';
import { SETTINGS, type DomainState } from '../../../core/kinds/domain/fields.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';
import type { Note, SentItem } from '../../../core/kinds/wire.ts';
import type { SectionKind } from '../../../core/model/kinds.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { Change } from '../../../core/model/plan.ts';
import { succeed, type Result } from '../../../core/model/result.ts';
import { verbOf } from '../../../core/plan/requests/order.ts';
import type { WriteRequest } from '../../../core/plan/requests/requests.ts';

/** Sends a request of the plan, and returns the service's answer for each item. */
export function sendRequest(client: Client, request: WriteRequest, sources: Sources): Promise<WireAnswer> {
  const { kind } = verbOf(request.step);
  return kind === 'domain' ? sendDomain(client, request, sources) : sendItems(client, request, kind, sources);
}

/** Values to send that are not part of a change. */
export interface Sources {
  /** Returns the managed settings of a domain. */
  readonly settingsOf: (domain: DomainName) => DomainState;
  readonly passwordOf: (change: Change) => string;
  /** Completes the commands that notes name. */
  readonly command: CommandLine;
}

/** Answer to one request: the outcome of each item in the order sent, or the error of the whole request. */
export type WireAnswer = Result<readonly ItemAnswer[], ApiError>;

/** The service's answer for one item. */
export type ItemAnswer = Result<Accepted, ItemFailure>;

export interface Accepted {
  readonly id: string | null;
  /** True if the answer shows what was sent, or shows nothing. */
  readonly kept: boolean;
  /** Current rank of a rule, according to the service. */
  readonly rank?: number;
  /** New domain as the service created it. */
  readonly domain?: ObservedDomain;
  /** Updated domain as it was right before the update. */
  readonly before?: ObservedDomain;
  readonly note?: string;
}

/** Result of an item that the answer does not show. */
export const DONE: Accepted = { id: null, kept: true };

async function sendDomain(
  client: Client,
  { domain, step }: WriteRequest,
  { settingsOf }: Sources,
): Promise<WireAnswer> {
  const settings = settingsOf(domain);
  const kept = (row: ObservedDomain): Accepted => ({ ...DONE, kept: showsFields(SETTINGS, settings, row) });
  switch (verbOf(step).verb) {
    case 'add': {
      const added = await client.addDomain(domain, settings);
      return added.ok ? accepted({ ...kept(added.value), domain: added.value }) : added;
    }
    case 'update': {
      const updated = await client.updateDomain(domain, settings);
      if (!updated.ok) return updated;
      return accepted({ ...kept(updated.value.after), before: updated.value.before });
    }
    case 'delete': {
      const deleted = await client.deleteDomain(domain);
      return deleted.ok ? accepted(DONE) : deleted;
    }
  }
}

function accepted(one: Accepted): WireAnswer {
  return succeed([succeed(one)]);
}

async function sendItems(
  client: Client,
  { domain, step, operation, items }: WriteRequest,
  kind: SectionKind,
  sources: Sources,
): Promise<WireAnswer> {
  const { verb } = verbOf(step);
  const own = client.items(kind);
  const sent = items.map((item) => withSecrets(item, sources));
  const [first] = sent;
  if (first === undefined) return succeed([]);
  const accept = acceptance(kind, sources);
  if (operation !== KINDS[kind].wire.writes[verb].batch) {
    const answer = await (verb === 'delete' ? own.delete(domain, keyOf(first)) : own[verb](domain, first));
    return answer.ok ? succeed([succeed(accept(first, answer.value))]) : answer;
  }
  const answer = await (verb === 'delete'
    ? own.deleteAll(domain, sent.map(keyOf))
    : own[`${verb}All`](domain, sent));
  if (!answer.ok) return answer;
  return succeed(
    answer.value.map((outcome, index) =>
      outcome.ok ? succeed(accept(sent[index] ?? {}, outcome.value)) : outcome,
    ),
  );
}

/** Adds secrets to an item right before it is sent. No plan contains a secret. */
function withSecrets({ change, sent }: WriteItem, { passwordOf }: Sources): SentItem {
  const secrets = Object.keys(sent).filter((name) => KINDS[change.kind].fields[name]?.codec.isSecret);
  return { ...sent, ...Object.fromEntries(secrets.map((name) => [name, passwordOf(change)])) };
}

function keyOf({ id, name = '' }: SentItem): string {
  return id ?? name;
}

type AnsweredRow = (LiveItemRow & { readonly note?: Note }) | void;

/**
 * Returns a function that reads an item from the answer. An undefined row means that the answer does not show the
 * item.
 */
function acceptance(kind: SectionKind, { command }: Sources): (sent: SentItem, row: AnsweredRow) => Accepted {
  return (sent, row) => {
    if (row === undefined) return DONE;
    return {
      id: row.id ?? null,
      kept: showsFields(KINDS[kind].fields, sent, row),
      ...('rank' in row ? { rank: row.rank } : {}),
      ...(row.note === undefined ? {} : { note: row.note(command) }),
    };
  };
}
