import { describe, expect, test } from 'vitest';
import type { Change } from '../../../../src/core/model/plan.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import type { WriteItem } from '../../../../src/core/kinds/steps.ts';
import type { DomainRequests, StageRequests } from '../../../../src/core/plan/requests/requests.ts';
import { verificationOrder } from '../../../../src/core/plan/requests/verification-order.ts';
import { change, name } from '../support/build.ts';

const [A, B] = [name('a.example'), name('b.example')];

/** Part of a stage in which one entry of each of these domains changes. */
function part(stage: 1 | 2, ...domains: readonly DomainName[]): StageRequests {
  return { stage, gates: [], domains: domains.map((domain) => requestsOf(change(domain, 'info'))) };
}

/** Part of a stage in which a domain changes in this way. */
function partOf(stage: 1 | 2, domain: DomainName, parts: Partial<Change>): StageRequests {
  return { stage, gates: [], domains: [requestsOf(change(domain, 'info', parts))] };
}

function requestsOf(made: Change): DomainRequests {
  const { domain } = made;
  return {
    domain,
    requests: [{ operation: 'any', domain, step: 'any', items: [{ change: made } as WriteItem] }],
  };
}

const nobody = (): undefined => undefined;

describe('a domain is verified', () => {
  test('after its last change', () => {
    const { isDueAfter } = verificationOrder([part(1, A, B), part(2, A)], nobody);
    expect([0, 1].map((index) => [A, B].filter((domain) => isDueAfter(index, domain)))).toEqual([[B], [A]]);
  });

  test('not at all if it is deleted', () => {
    const { isDueAfter } = verificationOrder([partOf(2, A, { kind: 'domain', action: 'delete' })], nobody);
    expect(isDueAfter(0, A)).toBe(false);
  });

  test.each<[string, Partial<Change>]>([
    ['an entry of it is deleted', { action: 'delete' }],
    ['its settings change', { kind: 'domain' }],
  ])('if only %s', (_, parts) => {
    expect(verificationOrder([partOf(1, A, parts)], nobody).isDueAfter(0, A)).toBe(true);
  });

  test('with the read before a later change of stage 2 to which it forwarded', () => {
    const forwards = ({ domain }: Change) => (domain === B ? new Set([A]) : undefined);
    const parts = [part(1, A), part(2, A), part(2, B)];
    const { isDueAfter } = verificationOrder(parts, forwards);
    expect(parts.map((_, index) => [A, B].filter((domain) => isDueAfter(index, domain)))).toEqual([
      [],
      [],
      [B],
    ]);
  });

  test('after its own change, if the change to which it forwarded is in the same part or in stage 1', () => {
    const forwards = ({ domain }: Change) => (domain === B ? new Set([A]) : undefined);
    expect(verificationOrder([part(2, A, B)], forwards).isDueAfter(0, A)).toBe(true);
    expect(verificationOrder([part(1, A), part(1, B)], forwards).isDueAfter(0, A)).toBe(true);
  });
});

test('a read shows a domain after its last change from the next part on', () => {
  const { isSeenBefore } = verificationOrder([part(1, A), part(1, B), part(2, B)], nobody);
  expect([0, 1, 2].map((index) => isSeenBefore(index, A))).toEqual([false, true, true]);
  expect([0, 1, 2].map((index) => isSeenBefore(index, B))).toEqual([false, false, false]);
  expect(isSeenBefore(0, name('unchanged.example'))).toBe(true);
});
