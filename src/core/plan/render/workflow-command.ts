import { escapeInvisible } from '../../model/names.ts';
import type { Source } from '../../model/manifest/problem.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly source: Source | null;
}

/** Formats a workflow command of GitHub Actions, which becomes an annotation at its file and line. */
export function workflowCommand({ level, title, message, source }: Annotation): string {
  const place = source === null || source.file === '-' ? [] : placeOf(source);
  const properties = [...place, `title=${escapeProperty(title)}`].join(',');
  return `::${level} ${properties}::${escapeData(escapeInvisible(message))}\n`;
}

function placeOf({ file, line, column }: Source): readonly string[] {
  return [`file=${escapeProperty(file)}`, `line=${line}`, `col=${column}`];
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(escapeInvisible(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
