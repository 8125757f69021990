import { showTime } from '../../model/clock.ts';
import { plural } from '../../model/names.ts';
import type { Facts, GateFinding, GateInput } from '../gate.ts';
import { forbids } from '../mta-sts.ts';
import type { PolicyFacts, ServiceCheck } from '../observation.ts';

/** No MTA-STS policy that senders may have in mind forbids them to deliver to the service. */
export function policyGate(
  { seen, memory: { policy } }: GateInput,
  facts: Facts<'policy' | 'check'>,
): GateFinding {
  const now = policyNow(facts.policy, facts.check, seen.domain);
  if (now.state !== 'done' || policy === null) return now;
  const { allowedSince, maxAge } = policy;
  if (allowedSince === null)
    return {
      state: 'next',
      evidence: [
        ...now.evidence,
        `_mta-sts.${seen.domain} still has the id of the old policy, so senders keep that one`,
      ],
      todo: [`give the TXT record _mta-sts.${seen.domain} a new id`],
    };
  const until = allowedSince + maxAge * 1000;
  const cached = `senders may keep the old policy until ${showTime(until)}: its max_age was ${maxAge} s`;
  if (seen.at >= until) return { state: 'done', since: until, evidence: [...now.evidence, KEEP] };
  return { state: 'waiting', since: allowedSince, until, evidence: [...now.evidence, cached], todo: [KEEP] };
}

const KEEP = 'keep the policy host until hold is done';

/** Judges what is published now. */
function policyNow({ ids, file }: PolicyFacts, { mx }: ServiceCheck, domain: string): GateFinding {
  const record = `_mta-sts.${domain}`;
  if (ids.length > 1) {
    const evidence = [`${record} has ${plural(ids.length, 'policy record')}: senders need exactly one`];
    return { state: 'blocked', evidence, todo: ['remove all but one'] };
  }
  if (file === null)
    return {
      state: 'done',
      evidence: [`${record} has no record; it is not known if senders still keep an earlier policy`],
    };
  if (!file.ok) {
    const evidence = [`${record} names a policy, but the file could not be read: ${file.error}`];
    return { state: 'blocked', evidence, todo: [`repair https://mta-sts.${domain}/.well-known/mta-sts.txt`] };
  }
  const policy = file.value;
  if (!forbids(policy, mx)) {
    const why =
      policy.mode === 'enforce'
        ? "allows the service's MX"
        : `has mode ${policy.mode}, which forbids nothing`;
    return { state: 'done', evidence: [`the policy ${why}`] };
  }
  return {
    state: 'next',
    evidence: [`the policy has mode enforce and allows only: ${policy.mx.join(', ')}`],
    todo: [
      `add to https://mta-sts.${domain}/.well-known/mta-sts.txt, or write mode: none there`,
      ...mx.map(({ exchange }) => `mx: ${exchange}`),
      `then give the TXT record ${record} a new id`,
    ],
  };
}
