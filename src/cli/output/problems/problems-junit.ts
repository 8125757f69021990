import { escapeInvisible } from '../../../core/model/names.ts';
import { showSource, type Problem } from '../../../core/model/manifest/problem.ts';
import type { CheckedManifests } from '../../command.ts';

/** Returns JUnit XML with a test case per manifest. A case fails with its errors; warnings are in its output. */
export function problemsJunit({ problems, texts, counts: found }: CheckedManifests): string {
  const byFile = Map.groupBy(problems, ({ source }) => source?.file ?? MANIFEST);
  const files = texts.map(({ file }) => file);
  const names = [...new Set([...(files.length === 0 ? [MANIFEST] : files), ...byFile.keys()])];
  const cases = names.map((name) => testCase(name, byFile.get(name) ?? []));
  const failed = names.filter((name) => (byFile.get(name) ?? []).some(isError)).length;
  const counts = `tests="${names.length}" failures="${failed}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="fwdsync validate" ${counts} skipped="0" time="0">`,
    '    <properties>',
    `      <property name="silenced" value="${found.silenced}"/>`,
    '    </properties>',
    ...cases.flat(),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** Name of the case for problems without a file. */
const MANIFEST = 'manifest';

function testCase(name: string, problems: readonly Problem[]): readonly string[] {
  const head = `    <testcase name="${escapeXml(name)}" classname="fwdsync.validate" time="0"`;
  const errors = problems.filter(isError);
  const warnings = problems.filter((problem) => !isError(problem));
  if (problems.length === 0) return [`${head}/>`];
  return [
    `${head}>`,
    ...(errors.length === 0 ? [] : [failure(errors)]),
    ...(warnings.length === 0 ? [] : [`      <system-out>${escapeXml(lines(warnings))}</system-out>`]),
    '    </testcase>',
  ];
}

/** Returns one failure with all errors of a case. Not every reader understands more than one. */
function failure(errors: readonly Problem[]): string {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const message = escapeXml(`${first?.message ?? ''}${more}`);
  return `      <failure message="${message}" type="${escapeXml(first?.code ?? '')}">${escapeXml(lines(errors))}</failure>`;
}

function lines(problems: readonly Problem[]): string {
  return problems
    .map(({ severity, code, message, hint, source }) => {
      const place = source === null ? '' : `${showSource(source)}: `;
      return `${place}${severity}: ${message} [${code}]; ${hint}`;
    })
    .map(escapeInvisible)
    .join('\n');
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}

/**
 * Escapes text for XML. A character that XML 1.0 cannot hold is shown by its code point. Line breaks between problems
 * stay.
 */
function escapeXml(text: string): string {
  return text
    .split('\n')
    .map(escapeInvisible)
    .join('\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
