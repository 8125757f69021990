import type { Client } from '../../../client/client.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { escapeInvisible, plural } from '../../../core/model/names.ts';
import type { Observed } from '../../../core/model/observed.ts';
import { recordBaseline } from '../../../engine/baseline.ts';
import type { Context } from '../../context.ts';
import { readDesired } from '../../input/manifest/desired.ts';
import { openStates } from '../../input/state/open-states.ts';
import type { Connection } from '../../../client/connection.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import { whoRuns } from '../../origin.ts';
import { printWarning } from '../../output/output.ts';

export interface Exported {
  /** The manifest as it was written. */
  readonly texts: readonly ManifestText[];
  readonly observed: Observed;
  readonly client: Client;
  readonly connection: Connection;
}

/** Records the domains of a written manifest as the baseline. If that fails, says why. */
export async function keepBaseline(
  context: Context,
  { manifest, state }: Settings,
  { texts, observed, client, connection }: Exported,
): Promise<void> {
  const whole = { ...manifest, domains: null };
  const { desired } = await readDesired(context, whole, { from: { kind: 'texts', texts } });
  if (desired === null) return;
  const openState = await openStates(context, state, 'export');
  const recorded = await recordBaseline(openState(connection, observed.account.email), context.clock, {
    desired,
    observed,
    api: { url: client.url, version: client.version },
    hmac: client.hmac,
    who: whoRuns(context),
  });
  if (!recorded.ok) {
    const message = `no baseline was recorded: ${escapeInvisible(recorded.error.message)}`;
    printWarning(context, message, 'no-baseline');
  } else if (recorded.value.length > 0) {
    const count = plural(recorded.value.length, 'domain');
    context.stderr.write(`recorded ${count} as the baseline: changes from now on are drift\n`);
  }
}
