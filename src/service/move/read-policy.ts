import { createResolver } from '../../client/dns/zone.ts';
import { fail, succeed } from '../../core/model/result.ts';
import { parsePolicy, stsId } from '../../core/move/mta-sts.ts';
import type { PolicyFacts, Read, StsPolicy } from '../../core/move/observation.ts';
import type { MovePorts } from './ports.ts';

/** Reads the MTA-STS record and, if there is one, the policy file. */
export async function readPolicy(
  domain: string,
  { dns, resolver, readPolicyFile, show }: Pick<MovePorts, 'dns' | 'resolver' | 'readPolicyFile' | 'show'>,
): Promise<Read<PolicyFacts>> {
  const looked = await createResolver(dns, resolver).look(`_mta-sts.${domain}`, 'TXT');
  if (!looked.ok) return fail(show.text(looked.error.message));
  const ids = looked.value.flatMap(({ text }) => stsId(text) ?? []);
  if (ids.length !== 1) return succeed({ ids, file: null });
  const file = await readPolicyFile(domain);
  if (!file.ok) return succeed({ ids, file: fail(show.text(file.error)) });
  const policy = parsePolicy(file.value);
  return succeed({ ids, file: policy.ok ? succeed(shown(policy.value, show)) : policy });
}

function shown(policy: StsPolicy, { text }: MovePorts['show']): StsPolicy {
  return {
    ...policy,
    mx: policy.mx.map((pattern) => (/^[a-z0-9.*-]+$/.test(pattern) ? pattern : text(pattern))),
  };
}
