import type { DumpedDomain } from '../../src/emulator/account/dump.ts';
import type { SettableField } from './settable.ts';

export const DOMAIN = 'acme.example';
/** The value behind the reference BOSS of each manifest here. */
export const SECRET = 'the.boss@private.example';

/** One field of one kind, as a manifest writes it and as the emulated account keeps it. */
export interface FieldCase {
  readonly what: SettableField;
  /** Name of the item in plans; the domain's own name for a setting. */
  readonly name: string;
  /** Lines of the domain that give the field this value; indented by four spaces. */
  readonly written: (value: string) => string;
  /** Lines of the domain that delete the item; null for a setting, because it exists as long as its domain. */
  readonly absent: string | null;
  readonly values: readonly [first: string, second: string];
  /** Value that the account keeps; undefined if the item is not there. */
  readonly live: (domain: DumpedDomain) => unknown;
  /** Sets a value in the account as a user does in the dashboard. */
  readonly edited: (domain: DumpedDomain, value: string) => DumpedDomain;
  readonly onlyOn?: 'v3';
  /** True if the value is an address, so that a reference can hold it. */
  readonly isDestination: boolean;
}

/** An item that never changes, so that no section is empty. */
const STEADY_RULE = '    rules:\n      - { name: steady, alias: steady, forward: all@corp.example }\n';
const STEADY_ALIAS = '    aliases:\n      "*": all@corp.example\n';
const ONE = 'one@corp.example';
const TWO = 'two@corp.example';

function setting(
  field: 'notification_email' | 'whitelabel' | 'webhook',
  values: FieldCase['values'],
  isDestination: boolean,
): FieldCase {
  return {
    what: `domain.${field}`,
    name: DOMAIN,
    written: (value) => `    ${field}: ${value}\n`,
    absent: null,
    values,
    live: (domain) => domain[field],
    edited: (domain, value) => ({ ...domain, [field]: value }),
    ...(field === 'webhook' ? { onlyOn: 'v3' } : {}),
    isDestination,
  };
}

/** Makes a rule from one given part. The emulator keeps all fields except `active` in the config. */
function rule(
  field: 'forward' | 'alias' | 'regex' | 'scopes' | 'expression' | 'active',
  lines: (value: string) => string,
  values: FieldCase['values'],
  wire: (value: string) => unknown = (value) => value,
): FieldCase {
  return {
    what: `rule.${field}`,
    name: 'probe',
    written: (value) => `${STEADY_RULE}      - name: probe\n${lines(value)}`,
    absent: `${STEADY_RULE}      - { name: probe, state: absent }\n`,
    values,
    live: ({ rules: [, probe] }) => (field === 'active' ? probe?.active : probe?.config[field]),
    edited: (domain, value) => ({
      ...domain,
      rules: domain.rules.map((live, index) => {
        if (index === 0) return live;
        if (field === 'active') return { ...live, active: wire(value) as boolean };
        return { ...live, config: { ...live.config, [field]: wire(value) as string } };
      }),
    }),
    isDestination: field === 'forward',
  };
}

const FORWARD = `        forward: ${ONE}\n`;

/** Every field that a manifest can set, in the form of its table above. */
export const FIELDS: Readonly<Record<SettableField, FieldCase>> = {
  'domain.notification_email': setting('notification_email', [ONE, TWO], true),
  'domain.whitelabel': setting('whitelabel', ['mail.partner.example', 'mail.other.example'], false),
  'domain.webhook': setting('webhook', ['https://one.example/in', 'https://two.example/in'], false),
  'alias.forward': {
    what: 'alias.forward',
    name: 'probe',
    written: (value) => `${STEADY_ALIAS}      probe: ${value}\n`,
    absent: `${STEADY_ALIAS}      probe: { state: absent }\n`,
    values: [ONE, TWO],
    live: ({ aliases }) => aliases.find(({ alias }) => alias === 'probe')?.forward,
    edited: (domain, value) => ({
      ...domain,
      aliases: domain.aliases.map((live) => (live.alias === 'probe' ? { ...live, forward: value } : live)),
    }),
    isDestination: true,
  },
  'rule.forward': rule('forward', (value) => `        alias: jobs\n        forward: ${value}\n`, [ONE, TWO]),
  'rule.alias': rule('alias', (value) => `        alias: ${value}\n${FORWARD}`, ['jobs', 'careers']),
  'rule.regex': rule('regex', (value) => `        regex: ${value}\n        scopes: [subject]\n${FORWARD}`, [
    '.*one.*',
    '.*two.*',
  ]),
  'rule.scopes': rule(
    'scopes',
    (value) => `        regex: .*one.*\n        scopes: [${value}]\n${FORWARD}`,
    ['subject', 'body'],
    (value) => [value],
  ),
  'rule.expression': rule('expression', (value) => `        expression: ${value}\n${FORWARD}`, [
    'subject.contains("one")',
    'subject.contains("two")',
  ]),
  'rule.active': rule(
    'active',
    (value) => `        alias: jobs\n        active: ${value}\n${FORWARD}`,
    ['true', 'false'],
    (value) => value === 'true',
  ),
};
