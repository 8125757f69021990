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
 * Conceals values for commands that show the account and need no manifest. If there is a manifest, the values behind
 * its references are shown as the references. An invalid manifest ends the command with 5, because those values are
 * then not known.
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
  /** null if there is no manifest. */
  readonly desired: Desired | null;
}

/**
 * Reads the manifest if there is one. Returns null if there is none, or if the one of the default name cannot be
 * read. The command is not about it.
 */
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
  /** Disclosure from the manifest. */
  readonly disclosure: Disclosure;
  readonly client: Pick<FullClient, 'getAccount'>;
  readonly connection: Connection;
  /** Name of the command that shows the values. */
  readonly command: 'route' | 'logs' | 'who' | 'why';
}

/**
 * Adds the values that came from a reference in an earlier run. Their fingerprints are read once. The returned
 * function takes a text with values of the account and says how it may be shown.
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
