import { escapeInvisible } from '../../../core/model/names.ts';
import { showSource, type Problem } from '../../../core/model/manifest/problem.ts';
import type { CheckedManifests } from '../../command.ts';

/** JUnit XML: a test case a manifest, which fails with its errors; warnings stand in its output. */
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

/** Problems that stand in no file. */
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

/** One failure a case, with all errors: more than one is not understood everywhere. */
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

/** What XML 1.0 cannot hold is shown by its code point; line breaks between problems stay. */
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
