import type { Command } from 'commander';
import type { Context, ProcessContext } from './context.ts';
import { resolveColor } from './output/paint.ts';
import type { GivenFlags } from './settings/flags.ts';
import { resolveFormat, resolveSettings, wantsMask, type Settings } from './settings/resolve-settings.ts';
import type { Format } from './output/formats.ts';

/** Resolves a command line once: the settings of the command, and how it prints. */
export async function enterCommand(
  process: ProcessContext,
  command: Command,
): Promise<{ readonly context: Context; readonly settings: Settings }> {
  const given = givenFlags(command);
  const names = new Set(command.options.map((option) => option.attributeName()));
  const formats = command.options.find(({ long }) => long === '--format')?.argChoices;
  const settings = await resolveSettings(process, given, (flag) => names.has(flag));
  const printing: Omit<Context, keyof ProcessContext> = {
    given,
    color: resolveColor(given.color, process.env),
    format: resolveFormat(given, process.env, formats as readonly Format[] | undefined),
    mask: wantsMask(given, process.env) ? new Map() : false,
  };
  // Copied as they are: a process opens a stream when it is first asked for it.
  const own = Object.getOwnPropertyDescriptors(process);
  return { context: Object.defineProperties(printing, own) as Context, settings };
}

/** Flags that were typed: commander also has defaults among its values. */
function givenFlags(command: Command): GivenFlags {
  const typed = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === 'cli',
  );
  return Object.fromEntries(typed);
}
