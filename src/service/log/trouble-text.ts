import { plural } from '../../core/model/names.ts';
import { showSource } from '../../core/model/manifest/problem.ts';
import type { DeliveryTrouble } from '../../core/model/status/daemon.ts';

/**
 * Describes a trouble: `sales@acme.example -> carol@corp.example: 3 messages, last 550 No such user
 * (fwdsync.yaml:12:7)`.
 */
export function troubleText(trouble: DeliveryTrouble): string {
  const { domain, alias, rule, destination, count, lastError, source } = trouble;
  const from = alias !== null ? `${alias}@${domain}` : rule === null ? domain : `${domain} rule ${rule}`;
  const words = [lastError.code, lastError.message].filter((part) => part !== null && part !== '').join(' ');
  const place = source === null ? '' : ` (${showSource(source)})`;
  return `${from} -> ${destination ?? 'refused'}: ${plural(count, 'message')}, last ${words}${place}`;
}

/** Describes a domain that stopped receiving mail, or began again. */
export function receivingText(kind: 'domain-not-receiving' | 'domain-receiving', domain: string): string {
  return kind === 'domain-receiving'
    ? `${domain} receives mail again, according to the service`
    : `${domain} no longer receives mail, according to the service: check its MX records`;
}
