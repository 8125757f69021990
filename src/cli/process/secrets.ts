import { createRedactor, type Redactor } from '../../client/http/redactor.ts';

/** What a process knows and must not give away. */
export interface Secrets {
  /** Takes all values that were resolved out of what the service says. */
  readonly redactor: Redactor;
  /** The value of an API key or of another secret of the operator: no other reference may have it. `what` names it. */
  forbid(value: string, what: string): void;
  /** The references of `api.key` of all accounts that were met. */
  readonly keys: KeyReferences;
  /** What it is, where a value, or a part of one that is a list, is such a secret; null: it may be used. */
  whyForbidden(value: string): string | null;
}

export interface KeyReferences {
  /** Names of variables. */
  readonly env: Set<string>;
  /** Absolute paths, each with the path that its links lead to. */
  readonly file: Map<string, string>;
}

export function createSecrets(): Secrets {
  const forbidden = new Map<string, string>();
  const redactor = createRedactor();
  return {
    redactor,
    keys: { env: new Set(), file: new Map() },
    forbid(value, what) {
      const trimmed = value.trim();
      if (trimmed === '') return;
      forbidden.set(trimmed, what);
      redactor.add(trimmed, '***');
    },
    whyForbidden(value) {
      const parts = [value, ...value.split(',')];
      const found = parts.find((part) => forbidden.has(part.trim()));
      return found === undefined ? null : (forbidden.get(found.trim()) ?? null);
    },
  };
}
