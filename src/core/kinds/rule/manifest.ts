import type { Fields } from '../../fields/fields.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { ItemName } from '../kind.ts';
import type { DesiredRule, RuleState } from './fields.ts';

export function ruleEntry(
  { name, id }: ItemName,
  fields: Fields | null,
  source: Source,
): Result<DesiredRule, string> {
  if (id === null) return fail('its id is not known');
  const place = { name, id, derivedIds: [], source };
  if (fields === null) return succeed({ ...place, state: 'absent' });
  return succeed({ ...place, state: 'present', idIsWritten: true, ...(fields as RuleState) });
}
