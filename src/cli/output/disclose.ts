import type { FullClient } from '../../client/create.ts';
import type { Desired } from '../../core/model/desired.ts';
import {
  normaliseDestination,
  type Disclosure,
  type References,
  type Shown,
} from '../../core/model/destinations.ts';
import type { Context } from '../context.ts';
import { invalidManifest, readDesired, type ReadDesired } from '../input/manifest/desired.ts';
import { CommandError } from '../exit.ts';
import { maskOf } from './output.ts';
import type { CommonOptions, Connection } from '../settings.ts';
import type { RecogniseReferences } from '../../engine/state/store.ts';
import { openStates } from '../input/state/state.ts';
import { answerOf } from '../input/connect.ts';
import { valuesInText } from './values-in-text.ts';

/**
 * For commands that show what the account holds and need no manifest: where there is one, the values behind its
 * references are shown as the references. One that is not valid ends the command with 5: which values those are is not known.
 */
export async function discloseManifest(
  context: Context,
  options: CommonOptions,
): Promise<ManifestDisclosure> {
  const mask = maskOf(options, context);
  const read = await readIfThere(context, options);
  if (read === null) return { disclosure: { references: new Map(), mask }, desired: null };
  const { desired, problems } = read;
  if (desired === null) throw invalidManifest(problems);
  return { disclosure: { references: desired.references, mask }, desired };
}

export interface ManifestDisclosure {
  readonly disclosure: Disclosure & { readonly references: References };
  /** Null where there is no manifest. */
  readonly desired: Desired | null;
}

/** Null: there is none, or the one of the default name cannot be read. The command is not about it. */
async function readIfThere(context: Context, options: CommonOptions): Promise<ReadDesired | null> {
  try {
    return await readDesired(context, options, { problems: 'errors-printed' });
  } catch (error) {
    if (error instanceof CommandError && options.file === undefined) return null;
    throw error;
  }
}

export interface LiveAccount {
  /** What the manifest says. */
  readonly disclosure: Disclosure;
  readonly client: Pick<FullClient, 'getAccount'>;
  readonly connection: Connection;
  /** Whose values are shown. */
  readonly command: 'route' | 'logs';
}

/**
 * Adds what came from a reference in an earlier run. The fingerprints of those values are read once; the answer takes
 * any text with values of the account in it, and says how it may be shown.
 */
export async function openDisclosure(
  context: Context,
  options: CommonOptions,
  { disclosure, client, connection, command }: LiveAccount,
): Promise<(text: string) => Disclosure> {
  const account = connection.account ?? answerOf(await client.getAccount()).email;
  const openState = await openStates(context, options, command);
  const recognise = await openState(connection, account).openReferences();
  return disclosing(disclosure, recognise);
}

/** The same where the fingerprints were read; null: there are none. */
export function disclosing(
  disclosure: Disclosure,
  recognise: RecogniseReferences | null,
): (text: string) => Disclosure {
  if (recognise === null) return () => disclosure;
  return (text) => {
    const { values: written, unsearched } = valuesInText(text);
    const values = written.map((value) => [value, normaliseDestination(value)] as const);
    const earlier = recognise(values.map(([, normalised]) => normalised));
    const found = values.flatMap(([value, normalised]) => {
      const shown = earlier.get(normalised);
      return shown === undefined ? [] : [[value, shown] as const, [normalised, shown] as const];
    });
    const hidden = unsearched.map((part) => [part, { shown: '***' }] as const);
    if (found.length + hidden.length === 0) return disclosure;
    return {
      ...disclosure,
      references: new Map<string, Shown>([...hidden, ...found, ...disclosure.references]),
    };
  };
}
