import type { Fields } from '../../fields/fields.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { parseAliasName } from '../../model/names.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { ItemName } from '../kind.ts';
import type { AliasState, DesiredAlias } from './fields.ts';

export function aliasEntry(
  { name }: ItemName,
  fields: Fields | null,
  source: Source,
): Result<DesiredAlias, string> {
  const parsed = parseAliasName(name);
  if (!parsed.ok) return fail(`no alias can be given this name: ${parsed.error.message}`);
  const place = { name: parsed.value, source };
  if (fields === null) return succeed({ ...place, state: 'absent' });
  return succeed({ ...place, state: 'present', ...(fields as AliasState) });
}
