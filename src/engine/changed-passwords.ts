import { passwordReference, type ResolvePassword } from './apply/send/passwords.ts';
import type { StateStore } from './state/store.ts';
import type { Desired } from '../core/model/desired.ts';
import type { DomainName, NameKey } from '../core/model/names.ts';
import type { Prior } from '../core/model/prior.ts';
import type { Reference } from '../core/model/destinations.ts';

/**
 * Returns the credentials, as `name@domain`, whose password differs from the one sent last. A password that is not
 * set now, or has no remembered fingerprint, counts as unchanged and is not sent.
 */
export async function findChangedPasswords(
  desired: Desired,
  prior: Prior,
  ports: {
    readonly state: Pick<StateStore, 'fingerprint'>;
    readonly resolvePassword: ResolvePassword;
  },
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    remembered(desired, prior).map(async ({ name, domain, reference, fingerprint }) => {
      const password = await ports.resolvePassword(reference);
      if (typeof password !== 'string' || password === '') return [];
      const now = await ports.state.fingerprint(password);
      return now === null || now === fingerprint ? [] : [`${name}@${domain}`];
    }),
  );
  return new Set(found.flat());
}

interface RememberedPassword {
  readonly name: NameKey;
  readonly domain: DomainName;
  readonly reference: Reference;
  readonly fingerprint: string;
}

function remembered(desired: Desired, prior: Prior): readonly RememberedPassword[] {
  const all: RememberedPassword[] = [];
  for (const domain of desired.domains.keys()) {
    for (const [name, fingerprint] of prior.domains.get(domain)?.passwords ?? []) {
      const reference = passwordReference(desired, domain, name);
      if (reference !== null) all.push({ name, domain, reference, fingerprint });
    }
  }
  return all;
}
