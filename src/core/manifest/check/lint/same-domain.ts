import { quote } from '../../../model/names.ts';
import type { Source } from '../../../model/manifest/problem.ts';
import type { LintedDomain, LintFinding } from './finding.ts';

/** Finds destinations and notification addresses in the domain itself, which the service may refuse. */
export function* sameDomainDestinations({ domain, aliases, rules }: LintedDomain): Generator<LintFinding> {
  const end = `@${domain.domain}`;
  for (const [kind, entries] of [
    ['alias', aliases],
    ['rule', rules],
  ] as const) {
    for (const { name, forward, source } of entries) {
      if (!forward.some((destination) => destination.endsWith(end))) continue;
      yield found(`the ${kind} ${quote(name)} forwards to ${domain.domain}, its own domain`, source, [name]);
    }
  }
  const notified = domain.settings.notification_email;
  if (notified?.value?.endsWith(end) === true)
    yield found(`notifications of ${domain.domain} go to an address of that domain`, notified.source, []);
}

function found(what: string, source: Source, entries: readonly string[]): LintFinding {
  return {
    code: 'same-domain-destination',
    source,
    entries,
    message: `${what}: the service may refuse that`,
    hint: 'forward to a mailbox outside this domain',
  };
}
