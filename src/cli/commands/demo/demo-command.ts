import type { Disclosure } from '../../../core/model/destinations.ts';
import type { Context } from '../../context.ts';
import { correct, misdirect } from './demo-manifest.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { openStage, type Stage } from './stage.ts';
import type { CommandAction, CommandResult, Execute } from '../../command.ts';
import { EXIT, type ExitCode } from '../../exit.ts';

const RETIRED = 'acme-2019.example';

/** A command line, and its expected exit code. */
interface Step {
  readonly args: readonly string[];
  readonly ends: ExitCode;
}

const VALIDATE: Step = { args: ['validate', '-f', 'acme'], ends: EXIT.done };
const PLAN: Step = { args: ['plan', '-f', 'acme', '--allow-domain-delete', RETIRED], ends: EXIT.done };
const APPLY: Step = {
  args: ['apply', '-f', 'acme', '--yes', '--allow-domain-delete', RETIRED],
  ends: EXIT.partial,
};
const APPLY_FIXED: Step = { args: ['apply', '-f', 'acme', '--yes'], ends: EXIT.done };
/** Applies the manifest without the mistake. */
const APPLY_ALL: Step = { ...APPLY, ends: EXIT.done };
const PLAN_AFTER: Step = { args: ['plan', '-f', 'acme', '--detailed-exitcode'], ends: EXIT.done };

export interface DemoOptions {
  readonly mail?: true;
}

/**
 * Shows a manifest at work on an emulated account that has drifted from it, with the commands that a user would type
 * and their output. Exits with 0, or with 1 if a command did not end as expected.
 */
export function demoCommand(execute: Execute): CommandAction<DemoOptions> {
  return (context, { options }) => demonstrate(context, options, execute);
}

async function demonstrate(
  context: Context,
  { mail }: DemoOptions,
  execute: Execute,
): Promise<CommandResult> {
  context.waitFor?.('service');
  const narrator = createNarrator(context);
  narrator.title('A manifest of three domains, and an emulated account that has drifted from it.');
  const stage = await openStage(context, execute);
  const perform = async ({ args, ends }: Step): Promise<boolean> => {
    narrator.command(args);
    return narrator.ended(await execute(stage.context, [...args, ...passedOn(context.given)]), ends);
  };
  try {
    const isShown =
      mail === true
        ? await showMail(stage, narrator, { perform, mask: context.mask })
        : await showScenes(stage, narrator, perform);
    if (isShown) narrator.farewell(mail === true ? 'mail' : 'manifest');
    return { exit: isShown ? EXIT.done : EXIT.failed };
  } finally {
    await stage.close();
  }
}

/** Shows the scenes. Returns true if every command ended as expected. The first that does not ends the story. */
async function showScenes(
  stage: Stage,
  narrator: Narrator,
  perform: (step: Step) => Promise<boolean>,
): Promise<boolean> {
  narrator.scene('What happened so far', stage.history);
  const mistake = await misdirect(stage.manifestDirectory);
  narrator.scene('1. Is the manifest valid?', ['Checked offline and without a key, as in a git hook.']);
  if (!(await perform(VALIDATE))) return false;

  narrator.scene('2. What would change?', [
    'Only GET requests are sent. A domain is deleted only when manifest and flag say so.',
  ]);
  if (!(await perform(PLAN))) return false;

  narrator.scene('3. Make it so', mistake.consequence);
  if (!(await perform(APPLY))) return false;

  narrator.scene('4. Fix the line, and apply again', [`In ${mistake.file}:`]);
  narrator.difference(await correct(stage.manifestDirectory));
  if (!(await perform(APPLY_FIXED))) return false;

  narrator.scene('5. And now?', ['The account matches the manifest: nothing to do.']);
  return perform(PLAN_AFTER);
}

/** Shows the mail scenes. Mail needs more modules than all the rest, so it is loaded only here. */
async function showMail(
  stage: Stage,
  narrator: Narrator,
  {
    perform,
    mask,
  }: { readonly perform: (step: Step) => Promise<boolean>; readonly mask: Disclosure['mask'] },
): Promise<boolean> {
  // The last line mentions the mistake, which is not made here.
  narrator.scene('What happened so far', stage.history.slice(0, -1));
  narrator.scene('1. Make it so', ['The manifest is applied, and mail goes where it says.']);
  if (!(await perform(APPLY_ALL))) return false;
  const { sendMails } = await import('./demo-mail.ts');
  return sendMails(stage, narrator, {
    mask,
    explain: ({ from, to, subject }) =>
      perform({
        args: ['route', to, '--live', '-f', 'acme', '--from', from, '--subject', subject],
        ends: EXIT.done,
      }),
  });
}

function passedOn({ color, mask }: Context['given']): readonly string[] {
  return [...(color === undefined ? [] : ['--color', color]), ...(mask === true ? ['--mask'] : [])];
}
