import { createHash } from 'node:crypto';
import type { DomainName } from '../../../model/names.ts';
import type { RuleType } from '../../../model/resources.ts';

const NAMESPACE = Buffer.from('f08e279e4efa5fb590dd5c029db5aa4a', 'hex');

/** The UUID version 5 (RFC 9562: 5.5) that a rule without a written id has. `name` is in NFC. */
export function deriveRuleId(domain: DomainName, type: RuleType, name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(`${domain}\n${type}\n${name}`, 'utf8').digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The ids that a rule of this name would have, one a type: how a rule of another type is recognised. */
export function derivedRuleIds(domain: DomainName, name: string): readonly string[] {
  return (['alias', 'regex', 'cel'] as const).map((type) => deriveRuleId(domain, type, name));
}
