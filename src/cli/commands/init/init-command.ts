import { relative } from 'node:path';
import type { Reference } from '../../../core/model/destinations.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { commandLineHere } from '../../output/command-lines.ts';
import { DEFAULT_PATHS, type Settings } from '../../settings/resolve-settings.ts';
import { exportAccount } from '../export/export-command.ts';
import { assertFree } from '../export/export-files.ts';
import { askForAccount } from './ask-account.ts';
import { saveGitignore } from './gitignore.ts';

const MANIFEST = 'fwdsync.yaml';
const KEY_VARIABLE = 'FWDSYNC_API_KEY';
const KEY: Reference = {
  kind: 'env',
  name: KEY_VARIABLE,
  shown: `{ env: ${KEY_VARIABLE} }`,
  written: { env: KEY_VARIABLE },
  source: { file: MANIFEST, line: 1, column: 1 },
};

/**
 * Writes the first manifest of an account by export, and a .gitignore. Replaces no file. The manifest refers to the
 * key, which is not saved.
 */
export async function initCommand(context: Context, { settings }: CommandCall): Promise<CommandResult> {
  assertFree(
    context,
    DEFAULT_PATHS,
    'there is already a manifest here: change it, or begin in another directory',
  );
  const asked = await askForAccount(context, settings);
  const env = asked === null ? context.env : { ...context.env, [KEY_VARIABLE]: asked.key };
  const isInVariable = Boolean(env[KEY_VARIABLE]);
  const { exit } = await exportAccount(
    { ...context, env },
    settings,
    { out: MANIFEST },
    {
      ...(asked?.account ? { account: asked.account } : {}),
      ...(isInVariable ? { key: KEY } : {}),
    },
  );
  const missing = await saveGitignore(context, stateBelow(context, settings));
  return { exit, text: nextSteps(context, { isKeyTyped: asked !== null, missing }) };
}

/** Returns the state directory's path in this directory; null if it is elsewhere, where git does not see it. */
function stateBelow({ cwd }: Context, { state }: Settings): string | null {
  const path = relative(cwd, state.directory);
  return path === '' || path.startsWith('..') ? null : path;
}

function nextSteps(
  context: Context,
  { isKeyTyped, missing }: { readonly isKeyTyped: boolean; readonly missing: readonly string[] },
): string {
  const { FWDSYNC_FILE: file, FWDSYNC_ACCOUNTS: accounts } = context.env;
  const given = file || accounts ? { ...context.given, file: [MANIFEST] } : context.given;
  const command = commandLineHere({ ...context, given });
  const steps = [
    ...(isKeyTyped ? [`set ${KEY_VARIABLE}: the manifest refers to it, and the key was not saved`] : []),
    ...(missing.length === 0 ? [] : [`add these lines to .gitignore: ${missing.join('  ')}`]),
    `change ${MANIFEST}, then see what would change: ${command('plan')}`,
    `apply it: ${command('apply')}`,
    `keep it in git: git add ${quoteForShell(MANIFEST)} .gitignore`,
  ];
  return `next:\n${steps.map((step, index) => `  ${index + 1}. ${step}\n`).join('')}`;
}
