import pkg from '../../package.json' with { type: 'json' };
import type { ProgramInfo } from '../core/model/status/program.ts';

/** Defined by `build.ts` in the bundle. */
declare const BUILD_COMMIT: string | null;
declare const BUILD_DATE: string | null;

/** Describes this process for `--version --verbose`, `/status` and the log. */
export function programInfo(): ProgramInfo {
  return {
    version: pkg.version,
    commit: typeof BUILD_COMMIT === 'undefined' ? null : BUILD_COMMIT,
    builtAt: typeof BUILD_DATE === 'undefined' ? null : BUILD_DATE,
    node: process.versions.node,
  };
}

/** Returns the same as fields of the log. */
export function programFields(): object {
  const { builtAt, ...fields } = programInfo();
  return { ...fields, built_at: builtAt };
}

/** Returns what `--version` prints. With `--verbose` on its line, it is all that is known of the program. */
export function versionText(line: readonly string[]): string {
  const { version, commit, builtAt, node } = programInfo();
  if (!line.includes('--verbose')) return version;
  return `version  ${version}
commit   ${commit ?? 'unknown'}
built    ${builtAt ?? 'unknown'}
node     ${node}`;
}
