import { applyCommand } from './apply.ts';
import type { Context } from './context.ts';
import { correct, misdirect } from './demo/manifest.ts';
import { createNarrator, type Narrator } from './demo/narrator.ts';
import { openStage, type Stage } from './demo/stage.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { planCommand } from './plan.ts';
import { resolveFormat, type CommonOptions } from './settings.ts';
import { validateCommand } from './validate.ts';

const MANIFEST = 'acme';
const RETIRED = 'acme-2019.example';

/**
 * Shows a manifest at work on an emulated account that has drifted from it: the very commands that one would type,
 * with what they print. Exits with 0, or with 1 when a command did not end as announced.
 */
export async function demoCommand(context: Context, options: CommonOptions): Promise<ExitCode> {
  resolveFormat(options, context, ['text']);
  const narrator = createNarrator(context, options);
  narrator.title('An emulated account, a manifest of three domains, and what happens to both');
  const stage = await openStage(context);
  try {
    const told = await tell(stage, narrator, options);
    if (told) narrator.farewell();
    return told ? EXIT.done : EXIT.failed;
  } finally {
    await stage.close();
  }
}

/** Whether every command ended as announced; the first that does not ends the story. */
async function tell(stage: Stage, narrator: Narrator, options: CommonOptions): Promise<boolean> {
  const { context } = stage;
  const common = { ...options, file: [MANIFEST] };
  const changing = { ...common, allowDomainDelete: [RETIRED] };
  const flags = `--allow-domain-delete ${RETIRED}`;

  narrator.scene('What has happened so far', stage.history);
  const mistake = await misdirect(stage.manifestDirectory);
  narrator.scene('1. Check the manifest', ['Offline, without a key, as a git hook would.']);
  narrator.command(`validate -f ${MANIFEST}`);
  if (!narrator.ended(await validateCommand(context, common), EXIT.done)) return false;

  narrator.scene('2. What would change?', [
    `Nothing but GET is sent. Deleting ${RETIRED} needs the manifest and the flag.`,
  ]);
  narrator.command(`plan -f ${MANIFEST} ${flags}`);
  if (!narrator.ended(await planCommand(context, changing), EXIT.done)) return false;

  narrator.scene('3. Apply it', [
    `${mistake.what} The service will not have that, which only it can know: the item is`,
    'reported with its line, deletes of that domain wait, everything else goes through.',
  ]);
  narrator.command(`apply -f ${MANIFEST} --yes ${flags}`);
  if (!narrator.ended(await applyCommand(context, { ...changing, yes: true }), EXIT.partial)) return false;

  narrator.scene('4. Mend the line', [`In ${mistake.file}:`]);
  narrator.difference(await correct(stage.manifestDirectory));
  narrator.command(`apply -f ${MANIFEST} --yes`);
  if (!narrator.ended(await applyCommand(context, { ...common, yes: true }), EXIT.done)) return false;

  narrator.scene('5. And now?', ['The account is what the manifest says, so there is nothing to do.']);
  narrator.command(`plan -f ${MANIFEST} --detailed-exitcode`);
  return narrator.ended(await planCommand(context, { ...common, detailedExitcode: true }), EXIT.done);
}
