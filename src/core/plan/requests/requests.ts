import { LIMITS, type ApiVersion } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type { Plan } from '../../model/plan.ts';
import { addsDomain, sequenceOf, verbOf, type SequencePart } from './order.ts';
import { KINDS } from '../../kinds/registry.ts';
import type { WriteItem } from '../../kinds/steps.ts';

/**
 * All requests of one stage, or of a part of it. Its domains may run side by side, but it starts only after everything
 * before it has ended. A stage has several parts if a change in one domain must wait for another domain.
 */
export interface StageRequests extends Pick<SequencePart, 'stage' | 'gates'> {
  readonly domains: readonly DomainRequests[];
}

/** The requests of one domain, strictly one after another, step by step. */
export interface DomainRequests {
  readonly domain: DomainName;
  readonly requests: readonly WriteRequest[];
}

/** Domains that a run adds, reads or writes at the same time. */
export const DOMAINS_AT_ONCE = 16;

/** One request. A single operation has one item, a batch at most 500 items. */
export interface WriteRequest {
  readonly operation: string;
  readonly domain: DomainName;
  readonly step: string;
  readonly items: readonly WriteItem[];
}

export interface RequestOptions extends BatchSupport {
  readonly version: ApiVersion;
}

/** The batches that the service accepts, as far as is known. Everything else is sent one by one. */
export interface BatchSupport {
  /** Support of batches that create. Free accounts are refused them. */
  readonly batches: 'allowed' | 'refused';
  /**
   * Support of batches that update or delete by id; allowed by default. Some v3 services do not know their listed ids
   * there.
   */
  readonly batchesById?: 'allowed' | 'refused';
}

/** The changes to send, and their dependencies. */
export type PlannedWork = Pick<Plan, 'changes'> & Partial<Pick<Plan, 'waits'>>;

/** Returns the write requests of a plan, exactly as they will be sent. Conditional changes count as additions. */
export function requestsOf(
  { changes, waits }: PlannedWork,
  options: RequestOptions,
): readonly StageRequests[] {
  return sequenceOf(changes, waits).map(({ stage, gates, domains }) => ({
    stage,
    gates,
    domains: domains.map(({ domain, steps }) => ({
      domain,
      requests: steps.flatMap(({ step, items }) => requestsOfStep({ domain, step, items }, options)),
    })),
  }));
}

/** Returns the write requests before anything is known of batches, which are assumed to be allowed. */
export function firstRequestsOf(plan: PlannedWork & Pick<Plan, 'api'>): readonly StageRequests[] {
  return requestsOf(plan, { version: plan.api.version, batches: 'allowed' });
}

/**
 * Splits the items of one step into single requests or batches, by what is known of batches. It is called for the
 * plan, and again right before sending, when more may be known. This is the only place that decides it.
 */
export function requestsOfStep(
  { domain, step, items }: Pick<WriteRequest, 'domain' | 'step' | 'items'>,
  options: RequestOptions,
): readonly WriteRequest[] {
  return chunk(step, items, options).map((chunked) => {
    return { operation: operationOf(step, chunked, options), domain, step, items: chunked };
  });
}

/** The most bytes of a request's body, unless a single item is larger. */
const MAX_BODY = 1_000_000;

function chunk(
  step: string,
  items: readonly WriteItem[],
  { batches, batchesById }: RequestOptions,
): readonly (readonly WriteItem[])[] {
  const { kind, verb } = verbOf(step);
  const { batch } = KINDS[kind].wire.writes[verb];
  const support = verb === 'add' ? batches : batchesById;
  const most = batch !== null && support !== 'refused' ? LIMITS.batchItems : 1;
  const chunks: WriteItem[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const current = chunks.at(-1);
    if (current === undefined || current.length >= most || bytes + size > MAX_BODY) {
      chunks.push([item]);
      bytes = size;
    } else {
      current.push(item);
      bytes += size;
    }
  }
  return chunks;
}

/** Returns the bytes of an item's JSON in a body, rounded up for keys and ids. */
function sizeOf({ sent }: WriteItem): number {
  return 100 + utf8Length(JSON.stringify(sent));
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // A pair of surrogates takes four bytes, two for each of its units.
    if (unit > 0x7f) bytes += unit > 0x7_ff && (unit < 0xd8_00 || unit > 0xdf_ff) ? 2 : 1;
  }
  return bytes;
}

export function isAddedDomain({ step }: WriteRequest): boolean {
  return addsDomain(step);
}

function operationOf(
  step: string,
  items: readonly WriteItem[],
  { version }: Pick<RequestOptions, 'version'>,
): string {
  const { kind, verb } = verbOf(step);
  const { single, batch } = KINDS[kind].wire.writes[verb];
  const needsBatch = items.some((item) => isAmbiguous(item, version));
  return batch !== null && (items.length > 1 || needsBatch) ? batch : single;
}

/**
 * True if a v3 path would confuse the alias's id with a name. v3 takes an alias by name or id in the same place, so
 * such an id is sent in a batch, where only ids count.
 */
export function isAmbiguous({ change }: WriteItem, version: ApiVersion): boolean {
  return version === 'v3' && change.kind === 'alias' && change.idIsName === true;
}
