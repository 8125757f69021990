import type { ApiError } from '../api/errors.ts';
import type { DomainChange } from '../model/plan.ts';
import { succeed, type Result } from '../model/result.ts';
import { FRESH_FOR } from '../plan/reads.ts';
import type { WriteRequest } from '../plan/requests.ts';
import { managedState, observedState } from '../plan/settings.ts';
import type { Run } from './run.ts';

/**
 * A request that updates a domain sends all its settings, unmanaged ones as they were just read (v4: PUT resets what is
 * left out). Where that is more than two minutes ago they are read again, so that nobody's change of them is undone.
 */
export async function withFreshSettings(
  run: Run,
  request: WriteRequest,
): Promise<Result<WriteRequest, ApiError>> {
  const [item] = request.items;
  if (item?.kind !== 'domain' || item.change.action !== 'update') return succeed(request);
  if (run.ports.clock.now() - run.observed.listedAt <= FRESH_FOR) return succeed(request);
  const entry = run.input.desired.domains.get(request.domain);
  if (entry?.state !== 'present') return succeed(request);
  const live = await run.ports.client.getDomain(request.domain);
  if (!live.ok) return live;
  const desired = { ...observedState(live.value), ...managedState(entry) };
  const change: DomainChange = { ...item.change, desired };
  return succeed({ ...request, items: [{ kind: 'domain', change }] });
}
