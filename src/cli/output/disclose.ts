import type { FullClient } from '../../client/create.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { Disclosure, References } from '../../core/model/destinations.ts';
import { disclosing } from '../../service/conceal/disclosing.ts';
import type { Context } from '../context.ts';
import { readValid, type ValidDesired } from '../input/manifest/desired.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Connection } from '../../client/connection.ts';
import type { ManifestSettings, StateSettings } from '../settings/resolve-settings.ts';
import { openStates } from '../input/state/open-states.ts';
import { answerOf } from '../input/connect.ts';

/**
 * For commands that show what the account holds and need no manifest: where there is one, the values behind its
 * references are shown as the references. One that is not valid ends the command with 5: which values those are is not known.
 */
export async function discloseManifest(
  context: Context,
  manifest: ManifestSettings,
): Promise<ManifestDisclosure> {
  const { mask } = context;
  const desired = (await readIfThere(context, manifest))?.desired ?? null;
  return { disclosure: { references: desired?.references ?? new Map(), mask }, desired };
}

export interface ManifestDisclosure {
  readonly disclosure: Disclosure & { readonly references: References };
  /** Null where there is no manifest. */
  readonly desired: Desired | null;
}

/** Null: there is none, or the one of the default name cannot be read. The command is not about it. */
async function readIfThere(context: Context, manifest: ManifestSettings): Promise<ValidDesired | null> {
  try {
    return await readValid(context, manifest, { warnings: 'silent' });
  } catch (error) {
    const isMissing = error instanceof CommandError && error.exitCode !== EXIT.invalid;
    if (isMissing && manifest.source !== 'flag') return null;
    throw error;
  }
}

export interface LiveAccount {
  /** What the manifest says. */
  readonly disclosure: Disclosure;
  readonly client: Pick<FullClient, 'getAccount'>;
  readonly connection: Connection;
  /** Whose values are shown. */
  readonly command: 'route' | 'logs' | 'who' | 'why';
}

/**
 * Adds what came from a reference in an earlier run. The fingerprints of those values are read once; the answer takes
 * any text with values of the account in it, and says how it may be shown.
 */
export async function openDisclosure(
  context: Context,
  state: StateSettings,
  { disclosure, client, connection, command }: LiveAccount,
): Promise<(text: string) => Disclosure> {
  const account = connection.account ?? answerOf(await client.getAccount()).email;
  const openState = await openStates(context, state, command);
  const recognise = await openState(connection, account).openReferences();
  return disclosing(disclosure, recognise);
}
