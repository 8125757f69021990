import type { KindSteps } from '../steps.ts';

/**
 * The steps of domains. A request sends the manifest's settings; unmanaged settings are sent with their current value.
 */
export const DOMAIN_STEPS: KindSteps = {
  verbs: { 'domain-adds': 'add', 'domain-updates': 'update', 'domain-deletes': 'delete' },
  place: (changes) => ({
    places: changes.map((change) => ({
      step: `domain-${change.action}s`,
      stage: change.stage,
      item: { change, sent: {} },
    })),
    inOrder: (_, items) => [items],
  }),
};
