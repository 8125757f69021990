import { createRedactor, type Redactor } from '../../client/http/redactor.ts';

/** Secrets that a process knows and must not reveal. */
export interface Secrets {
  /** Removes all resolved values from text of the service. */
  readonly redactor: Redactor;
  /**
   * Forbids the value of an API key or another secret of the operator as the value of any reference. `what` names the
   * secret.
   */
  forbid(value: string, what: string): void;
  /** The references of `api.key` of all accounts seen so far. */
  readonly keys: KeyReferences;
  /**
   * Returns the name of the secret that a value, or one part of a list, equals. null means that the value may be
   * used.
   */
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
