import { plural } from '../../../core/model/names.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';
import { updateManifest } from '../../../core/manifest/update/update.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { makePlan, type PlanInput } from '../../../core/plan/plan.ts';
import { planOnce } from '../../../engine/plan-once.ts';
import { keepBaseline } from './keep-baseline.ts';
import { readFailure } from '../../input/connect.ts';
import type { Context } from '../../context.ts';
import type { CommandResult } from '../../command.ts';
import { readDesired, type ReadOptions } from '../../input/manifest/desired.ts';
import { CommandError, EXIT } from '../../exit.ts';
import { invalidManifest } from '../../output/problems/problems.ts';
import { saveText } from '../../output/files.ts';
import { openSession } from '../../input/session.ts';
import type { ManifestSettings, Settings } from '../../settings/resolve-settings.ts';

/** Maximum rounds of edits. Each brings the manifest nearer to the account, and most manifests need one or two. */
const MAX_ROUNDS = 20;

/**
 * Writes the live account into an existing manifest. Only entries that a plan would change are edited. Nothing is
 * written unless the plan of the new text is empty.
 */
export async function updateManifestFile(
  called: Context,
  settings: Settings,
  path: string,
): Promise<CommandResult> {
  const context = { ...called, given: { ...called.given, file: [path] } };
  const manifest: ManifestSettings = { ...settings.manifest, paths: [path], source: 'flag' };
  const session = await openSession(
    context,
    { ...settings, manifest },
    {
      command: 'plan',
      mode: 'read-only',
      stance: { accountRequired: false, domainDeletes: 'allowed' },
    },
  );
  try {
    const read = await planOnce(session.request, session.ports);
    session.progress.stop();
    if (!read.ok) throw readFailure(read.error, session.client);
    const { input, plan } = read.value;
    assertComplete(plan);
    const before = await load(context, manifest, undefined);
    const after = await adopt(context, manifest, { input, texts: before.texts });
    const changed = after.filter(({ text }, index) => String(text) !== textOf(before.texts[index]));
    for (const { file, text } of changed) await saveText(context, file, String(text));
    const [differences, files] = [plural(plan.changes.length, 'difference'), plural(changed.length, 'file')];
    context.stderr.write(`${differences} written into ${files}\n`);
    const { client, connection } = session;
    await keepBaseline(context, settings, { texts: after, observed: input.observed, client, connection });
    return { exit: EXIT.done };
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

/** Ends the command if a domain could not be read, or shows one key twice, because it cannot be exported. */
function assertComplete({ withheld, problems }: Plan): void {
  const unproven = withheld.find(({ cause }) => cause === 'unproven');
  if (unproven !== undefined) {
    throw new CommandError(
      EXIT.failed,
      `${unproven.domain} could not be read: ${unproven.reason}; nothing was written`,
      'run the command again, or name the other domains with --domain',
    );
  }
  const [problem] = problems;
  if (problem !== undefined) {
    throw new CommandError(EXIT.invalid, `${problem.message}; nothing was written`, problem.hint);
  }
}

interface Adoption {
  readonly input: PlanInput;
  readonly texts: readonly ManifestText[];
}

/** Edits the texts in memory until their plan is empty. */
async function adopt(
  context: Context,
  manifest: ManifestSettings,
  { input, texts }: Adoption,
): Promise<readonly ManifestText[]> {
  let current = texts;
  let plan: Plan | null = null;
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const { desired } = await load(context, manifest, { kind: 'texts', texts: current });
    plan = makePlan({ ...input, desired });
    if (plan.changes.length === 0) return current;
    const next = updateManifest({ texts: current, desired, observed: input.observed, plan });
    if (next.every(({ text }, index) => text === textOf(current[index]))) break;
    current = next;
  }
  const rest = plan?.changes.map(({ domain, kind, name }) => `${kind} ${name} of ${domain}`) ?? [];
  throw new CommandError(
    EXIT.failed,
    `nothing was written, because the manifest cannot express this: ${rest.slice(0, 10).join(', ')}`,
    'change these entries by hand, then run the command again',
  );
}

async function load(
  context: Context,
  manifest: ManifestSettings,
  from: ReadOptions['from'] | undefined,
): Promise<{ readonly desired: Desired; readonly texts: readonly ManifestText[] }> {
  const how = { references: 'required' } as const;
  const read = await readDesired(context, manifest, from === undefined ? how : { ...how, from });
  if (read.desired !== null) return { desired: read.desired, texts: read.texts };
  const problems = read.problems.filter(({ severity }) => severity === 'error');
  throw invalidManifest(context, {
    problems,
    counts: read.counts,
    message: 'a manifest of the live account would be invalid; nothing was written',
    hint: 'fix the manifest or the account; the problems say how',
  });
}

function textOf(text: ManifestText | undefined): string {
  return typeof text?.text === 'string' ? text.text : Buffer.from(text?.text ?? []).toString('utf8');
}
