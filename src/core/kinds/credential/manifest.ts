import type { Fields } from '../../fields/fields.ts';
import type { Source } from '../../model/manifest/problem.ts';
import { parseCredentialName } from '../../model/names.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { ItemName } from '../kind.ts';
import type { DesiredCredential } from './fields.ts';

export function credentialEntry(
  { name }: ItemName,
  fields: Fields | null,
  source: Source,
): Result<DesiredCredential, string> {
  const parsed = parseCredentialName(name);
  if (fields !== null || !parsed.ok) return fail('its old password is not kept');
  return succeed({ name: parsed.value, state: 'absent', source });
}
