import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import { escapeJson } from '../../core/model/names.ts';
import { showText, type Disclosure, type References, type Shown } from '../../core/model/destinations.ts';

/** Hides values that must not appear in any line. */
export interface Concealer {
  /** Adds a key, a password or a secret address. */
  addSecret(value: string): void;
  addReferences(references: References): void;
  conceal(text: string): string;
  /** Disclosure that conceals destinations in the same way. */
  readonly disclosure: Disclosure;
}

/** Minimum length of a secret. A shorter one would also match unrelated text. */
const LEAST_SECRET = 4;

export function createConcealer({ mask }: Pick<Disclosure, 'mask'>): Concealer {
  const secrets = new Map<string, Shown>();
  const add = (value: string, shown: string): void => {
    if (value.length < LEAST_SECRET) return;
    secrets.set(value, { shown });
    // The value as it appears in JSON.
    const json = JSON.stringify(value).slice(1, -1);
    secrets.set(json, { shown });
    secrets.set(escapeJson(json), { shown });
  };
  return {
    addSecret: (value) => add(value, '***'),
    addReferences(references) {
      for (const [value, { shown }] of references) add(value, shown);
    },
    conceal: (text) => showText(text, { references: secrets, mask }),
    disclosure: { references: secrets, mask },
  };
}

/** Adds the references of an event, so that they are hidden in its own texts and from then on. */
export function hideReferences(event: DaemonEvent, concealer: Concealer): void {
  if (event.kind === 'manifest-accepted') concealer.addReferences(event.references);
  if (event.kind !== 'run-finished' || event.result.kind !== 'completed') return;
  concealer.addReferences(event.result.references);
}
