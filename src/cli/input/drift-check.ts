import { errorText } from '../../client/errors.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { PlanPorts } from '../../engine/plan-once.ts';
import { differingDomains, listForDrift, type DriftQuestion } from '../../engine/quick-drift.ts';
import type { Context } from '../context.ts';
import { commandFailure } from '../exit.ts';
import { apiFailure, connect } from './connect.ts';
import type { Session } from './session.ts';

export interface DriftCheck {
  readonly findDrift: NonNullable<PlanPorts['findDrift']>;
  close(): Promise<void>;
}

/** Checks domains through v3 at this URL. If the list cannot be read, all domains are read in full. */
export function openDriftCheck(
  context: Context,
  { connection }: Pick<Session, 'connection'>,
  url: string,
): DriftCheck {
  const client = connect(context, { ...connection, url, version: 'v3' }, 'read-only');
  return {
    async findDrift(question: DriftQuestion): Promise<ReadonlySet<DomainName>> {
      const names = new Set(question.desired.domains.keys());
      if (names.size === 0) return names;
      const listed = await listForDrift(client, question.account);
      if (listed.ok) return differingDomains(question, listed.value);
      const fault = listed.error;
      if (fault.kind === 'other-account') throw otherAccount(url, fault.email, question.account.email);
      if (fault.kind === 'account-unread') throw apiFailure(fault.error);
      const what = `drift cannot be checked at ${url}, so no domain is skipped`;
      context.stderr.write(`${what}: ${errorText(fault.error)}\n`);
      return names;
    },
    close: () => client.close(),
  };
}

function otherAccount(url: string, email: string, expected: string): Error {
  return commandFailure(
    `the account at ${url} is ${email}, but the account to plan is ${expected}`,
    'give --drift-url the base URL of v3 of the same service',
  );
}
