import type { KindSteps } from '../steps.ts';

/** What is sent of a domain are its settings as the manifest has them, and all others as they are then. */
export const DOMAIN_STEPS: KindSteps = {
  verbs: { 'domain-adds': 'add', 'domain-updates': 'update', 'domain-deletes': 'delete' },
  place: (changes) => ({
    places: changes.map((change) => ({
      step: `domain-${change.action}s`,
      stage: change.stage,
      item: { change, sent: {} },
    })),
    inOrder: (_, items) => items,
  }),
};
