import { iso } from '../../core/model/clock.ts';
import { isReady, type AccountStatus, type DeliveryStatus } from '../../core/model/status/daemon.ts';

/** Returns `fwdsync/status@1`: the state of each account and each of its domains. */
export function statusDocument(statuses: readonly AccountStatus[]): object {
  return { kind: 'fwdsync/status@1', ready: areReady(statuses), accounts: statuses.map(accountDocument) };
}

/** Returns the document for `/readyz`: which accounts are not ready, and why. */
export function readinessDocument(statuses: readonly AccountStatus[]): { readonly ready: boolean } {
  const accounts = statuses.map((status) => ({
    name: status.name,
    ready: isReady(status),
    reason: isReady(status) ? null : reasonOf(status),
  }));
  const document = { ready: areReady(statuses), accounts };
  return document;
}

/** True if there is at least one account and all accounts are ready. */
function areReady(statuses: readonly AccountStatus[]): boolean {
  return statuses.length > 0 && statuses.every(isReady);
}

function accountDocument(status: AccountStatus): object {
  const { name, mode, manifest, read, run, fullReadAt, failures, nextSweepAt, domains, delivery } = status;
  return {
    name,
    ready: isReady(status),
    mode,
    manifest: {
      state: manifest.state,
      inForce: manifest.inForce,
      message: manifest.message,
      problems: manifest.problems,
    },
    lastRead:
      read === null
        ? null
        : { at: iso(read.at), ok: read.ok, message: read.message, goodAt: isoOrNull(read.goodAt) },
    lastRun: run === null ? null : { ...run, at: iso(run.at) },
    lastFullReadAt: isoOrNull(fullReadAt),
    failures,
    nextSweepAt: isoOrNull(nextSweepAt),
    domains: [...domains].map(
      ([domain, { state, pending, reason, line, source, resolve, readAt, receiving }]) => {
        const lookedAt = isoOrNull(readAt);
        const isReceiving = receiving === null ? null : receiving === 'yes';
        return {
          domain,
          state,
          receiving: isReceiving,
          pending,
          reason,
          resolve,
          source: source ?? line,
          lookedAt,
        };
      },
    ),
    delivery: delivery === undefined ? null : deliveryDocumentOf(delivery),
  };
}

function deliveryDocumentOf({ reasons, domains }: DeliveryStatus): object {
  const followed = [...domains];
  return {
    complete: reasons.length === 0,
    reasons,
    domains: followed.map(([domain, { counts, open, readAt }]) => {
      return { domain, ...counts, open, readAt: isoOrNull(readAt) };
    }),
    failing: followed.flatMap(([, { troubles }]) =>
      troubles.map(({ since, lastError, ...trouble }) => {
        return { ...trouble, since: iso(since), lastError: { ...lastError, at: isoOrNull(lastError.at) } };
      }),
    ),
  };
}

function reasonOf({ manifest, read }: AccountStatus): string {
  if (manifest.state === 'not-read') return 'the manifest was not read yet';
  if (manifest.state === 'refused') return 'the manifest is not valid: see /status';
  return read === null ? 'the account was not read yet' : 'the account cannot be read: see /status';
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}
