import { fail, succeed, type Result } from '../model/result.ts';
import type { MxRecord, StsPolicy } from './observation.ts';

/** Returns the id of an MTA-STS record; null if the text is not one (RFC 8461, 3.1). */
export function stsId(text: string): string | null {
  const [version = '', ...fields] = text.split(';').map((field) => field.trim());
  if (!/^v\s*=\s*STSv1$/.test(version)) return null;
  const [id] = fields.flatMap((field) => /^id\s*=\s*([a-z0-9]{1,32})$/i.exec(field)?.[1] ?? []);
  return id ?? null;
}

/** Parses a policy file (RFC 8461, 3.2). The error says what is wrong with it. */
export function parsePolicy(text: string): Result<StsPolicy, string> {
  const lines = text.split(/\r?\n/).map((line) => /^\s*([a-z0-9_]+)\s*:\s*(.*?)\s*$/i.exec(line));
  const valuesOf = (key: string): readonly string[] =>
    lines.flatMap((line) => (line?.[1] === key ? [line[2] ?? ''] : []));
  const [version] = valuesOf('version');
  const [mode] = valuesOf('mode');
  const [age = ''] = valuesOf('max_age');
  const mx = valuesOf('mx').map((pattern) => pattern.toLowerCase().replace(/\.$/, ''));
  if (version !== 'STSv1') return fail('it has no line version: STSv1');
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none')
    return fail('its mode is not enforce, testing or none');
  if (!/^\d{1,10}$/.test(age)) return fail('its max_age is not a number');
  if (mode !== 'none' && mx.length === 0) return fail('it has no line mx:');
  return succeed({ mode, mx, maxAge: Number(age) });
}

/** True if senders that follow the policy do not deliver to some of these hosts; null means hosts that are not known. */
export function forbids({ mode, mx }: StsPolicy, hosts: readonly MxRecord[] | null): boolean {
  if (mode !== 'enforce') return false;
  return (
    hosts === null || hosts.some(({ exchange }) => !mx.some((pattern) => matchesHost(pattern, exchange)))
  );
}

/** `*.` stands for one label. */
function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  return host.split('.').slice(1).join('.') === pattern.slice(2);
}
