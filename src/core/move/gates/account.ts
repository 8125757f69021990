import { plural } from '../../model/names.ts';
import type { Facts, GateFinding, GateInput } from '../gate.ts';
import type { AccountFacts } from '../observation.ts';

/** The account is as the manifest wants it, and can forward. */
export function accountGate(
  { seen: { domain }, command }: GateInput,
  { account: facts }: Facts<'account'>,
): GateFinding {
  const catchAll = facts.liveCatchAll;
  const shown =
    catchAll === null
      ? []
      : [`only the account has the catch-all *, which sends mail to every other address to ${catchAll}`];
  const faults = [...stopping(facts, domain), ...facts.held];
  if (faults.length > 0) return { state: 'blocked', evidence: [...faults, ...shown] };
  const apply = command(`apply --domain ${domain}`);
  if (!facts.isPresent)
    return { state: 'next', evidence: [`the account does not have ${domain}`], todo: [apply] };
  if (facts.changes > 0) {
    const evidence = [`the account differs from the manifest: ${plural(facts.changes, 'change')}`, ...shown];
    return { state: 'next', evidence, todo: [apply] };
  }
  const engine = engineFault(facts);
  if (engine !== null)
    return {
      state: 'next',
      evidence: [engine, ...shown],
      todo: ['choose the engine in the dashboard of the service'],
    };
  const unknown =
    facts.engine === null ? ['it is not known which engine routes its mail: version 3 does not show it'] : [];
  return { state: 'done', evidence: ['the account matches the manifest', ...shown, ...unknown] };
}

function stopping({ isBanned, lockReason, isOverQuota }: AccountFacts, domain: string): readonly string[] {
  return [
    ...(isBanned ? [`the service has banned ${domain}`] : []),
    ...(lockReason === null ? [] : [`the account is locked${lockReason === '' ? '' : `: ${lockReason}`}`]),
    ...(isOverQuota ? ['the account is over its quota: the service may not forward its mail'] : []),
  ];
}

function engineFault({ engine, wants }: AccountFacts): string | null {
  switch (engine) {
    case null:
      return null;
    case 'none':
      return 'the routing of the domain is switched off in the account';
    case 'alias':
      return wants.rules && !wants.aliases ? 'aliases route the domain, but the manifest has rules' : null;
    case 'rules':
      return wants.aliases && !wants.rules ? 'rules route the domain, but the manifest has aliases' : null;
  }
}
