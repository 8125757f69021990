import type { DaemonEvent } from '../../core/model/status/daemon.ts';
import { escapeJson } from '../../core/model/names.ts';
import { showText, type Disclosure, type References, type Shown } from '../../core/model/destinations.ts';

/** Values that must not be seen in any line, whatever brought them there. */
export interface Concealer {
  /** A key, a password or an address that is a secret. */
  addSecret(value: string): void;
  addReferences(references: References): void;
  conceal(text: string): string;
  /** The same for destinations. */
  readonly disclosure: Disclosure;
}

/** A shorter one would also be found where it is not meant. */
const LEAST_SECRET = 4;

export function createConcealer({ mask }: Pick<Disclosure, 'mask'>): Concealer {
  const secrets = new Map<string, Shown>();
  const add = (value: string, shown: string): void => {
    if (value.length < LEAST_SECRET) return;
    secrets.set(value, { shown });
    // As it stands in a JSON text.
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

/** What an event brings to be hidden, in what is said of it and from then on. */
export function hideReferences(event: DaemonEvent, concealer: Concealer): void {
  if (event.kind === 'manifest-accepted') concealer.addReferences(event.references);
  if (event.kind !== 'run-finished' || event.result.kind !== 'completed') return;
  concealer.addReferences(event.result.references);
}
