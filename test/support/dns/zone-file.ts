import type { TestRecord, TestType } from './dns-server.ts';

type ZoneRecord = Omit<TestRecord, 'ttl'>;

/** Parses the text of a zone file with one record per line and fully qualified names. */
export function parseZone(text: string): readonly ZoneRecord[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith(';')) return [];
    const record = parseRecord(line);
    if (record === null) throw new Error(`no line of a zone file: ${line}`);
    return [record];
  });
}

/** Parses one line; null means that it is not a record. */
export function parseRecord(line: string): ZoneRecord | null {
  const [, name = '', type = '', data = ''] = /^(\S+)\.\s+IN\s+(MX|TXT|CNAME)\s+(.+)$/.exec(line) ?? [];
  if (name === '') return null;
  return { name, type: type as TestType, data: type === 'TXT' ? unquoted(data) : data.replace(/\.$/, '') };
}

/** Joins the strings of a text. */
function unquoted(data: string): string {
  const strings = [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)];
  return strings.map(([, string = '']) => string.replaceAll(/\\(["\\])/g, '$1')).join('');
}

/** Replaces the records with the same names and types. */
export function loadZone(
  put: (name: string, type: TestType, data: readonly string[]) => void,
  records: readonly ZoneRecord[],
): void {
  for (const set of Map.groupBy(records, ({ name, type }) => `${name} ${type}`).values()) {
    const [{ name, type }] = set as [ZoneRecord];
    put(
      name,
      type,
      set.map(({ data }) => data),
    );
  }
}
