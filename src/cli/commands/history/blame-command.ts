import { accountEntryKey } from '../../../core/kinds/item-key.ts';
import { ALL_KINDS } from '../../../core/kinds/registry.ts';
import { domainPartOf, localPartOf } from '../../../core/model/names.ts';
import { blame } from '../../../engine/state/history/blame.ts';
import { mergeNewestFirst } from '../../../engine/state/history/merge.ts';
import type { Context } from '../../context.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import { requireDomain } from '../../input/arguments.ts';
import { columnsOf } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import {
  blameEntryDocument,
  driftDocument,
  takenOverDocument,
  type BlameDocument,
} from './history-document.ts';
import { blameText } from './history-text.ts';
import { openRecorded } from './open-history.ts';

/**
 * Prints what last set the alias of an address, or the rule of that name, and changes made outside fwdsync since. For
 * a domain, prints its settings. Works offline and without a key.
 */
export async function blameCommand(
  context: Context,
  { settings, args: [address = ''] }: CommandCall,
): Promise<CommandResult> {
  const asked = keysOf(address);
  const { stores, onFault } = await openRecorded(context, settings);
  const { stdout, color, mask } = context;
  const found = await Promise.all(
    stores.map(async ({ account, history }) => {
      const { entries, drift, baselines } = await blame(history, asked, { onFault });
      const how = { account, mask };
      return {
        entries: entries.map((entry) => blameEntryDocument(entry, how)),
        drift: drift.map((entry) => driftDocument(entry, how)),
        takenOver: baselines.map((entry) => takenOverDocument(entry)),
      };
    }),
  );
  const merged = <T extends { readonly at: string }>(lists: readonly (readonly T[])[]): readonly T[] =>
    mergeNewestFirst(lists, ({ at }) => at, context.clock.now());
  const document: BlameDocument = {
    kind: 'fwdsync/blame@1',
    address,
    entries: merged(found.map(({ entries }) => entries)),
    drift: merged(found.map(({ drift }) => drift)),
    takenOver: merged(found.map(({ takenOver }) => takenOver)),
  };
  const look = { style: styleFor(stdout, color), columns: columnsOf(stdout) };
  return { exit: EXIT.done, ...chooseOutput(context, document, () => blameText(document, look)) };
}

/**
 * Returns the keys of an address: for `sales@acme.example` every item that may have that name, for `acme.example` the
 * domain itself.
 */
function keysOf(address: string): Parameters<typeof blame>[1] {
  const domain = requireDomain(domainPartOf(address));
  const name = address.includes('@') ? localPartOf(address) : domain;
  const kinds = ALL_KINDS.filter((kind) => (kind === 'domain') !== address.includes('@'));
  return { domain, keys: kinds.map((kind) => accountEntryKey(domain, kind, name)) };
}
