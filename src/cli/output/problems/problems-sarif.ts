import pkg from '../../../../package.json' with { type: 'json' };
import { escapeInvisible } from '../../../core/model/names.ts';
import type { CheckedManifests } from '../../command.ts';
import type { Problem, Source } from '../../../core/model/manifest/problem.ts';

/** Returns problems in SARIF 2.1.0, the format of code scanning services. */
export function problemsSarif({ problems, counts }: Omit<CheckedManifests, 'texts'>): object {
  const codes = [...new Set(problems.map(({ code }) => code))];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: pkg.name, version: pkg.version, rules: codes.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        properties: { silenced: counts.silenced },
        results: problems.map((problem) => resultOf(problem, codes.indexOf(problem.code))),
      },
    ],
  };
}

function resultOf({ severity, code, message, hint, source, related }: Problem, ruleIndex: number): object {
  const text = hint === '' ? message : `${message}; ${hint}`;
  return {
    ruleId: code,
    ruleIndex,
    level: severity === 'notice' ? 'note' : severity,
    message: { text: escapeInvisible(text) },
    locations: source === null ? [] : [locationOf(source)],
    ...(related === undefined ? {} : { relatedLocations: [locationOf(related)] }),
  };
}

function locationOf({ file, line, column }: Source): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: line, startColumn: column },
    },
  };
}

/** Returns a URI relative to the working directory. Escapes a space, a `#` or a `?` in a name. */
function uriOf(file: string): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return file.startsWith('/') ? `file://${path}` : path;
}
