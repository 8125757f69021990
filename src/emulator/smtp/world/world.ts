import type { DnsRecordType, World } from '../../account/model.ts';
import type { State } from '../../account/state.ts';
import { renderRecords } from '../../handlers/verification-handlers.ts';

/** The service's own domain, named in the DNS records of domains. */
export const SERVICE_DOMAIN = 'improvmx.com';
/** DKIM selector: the first label of the host of `dkim1`. */
export const SELECTOR = 'dkimprovmx1';

const MAX_ALIASES = 8;

type Records = Readonly<Partial<Record<DnsRecordType, readonly string[]>>>;

/**
 * A function that answers like Node's `dns.resolve`, without asking a server. Its errors have the code ENOTFOUND or ENODATA.
 */
export type WorldResolver = (name: string, type: string) => Promise<string[] | string[][]>;

/**
 * Creates the emulated DNS: the `world` of the state, the account's records that are in place, and the service's own.
 * `publicKey` is the base64 key that verifies signatures.
 */
export function createWorld(state: () => State, publicKey: () => string): WorldResolver {
  return async (name, type) => {
    const values = find(name, type as DnsRecordType, (at) => recordsAt(state(), at, publicKey()));
    if (type === 'TXT') return values.map((value) => [value]);
    // Node returns objects here, although the types say otherwise.
    return type === 'MX' ? (values.map(mailExchange) as unknown as string[]) : [...values];
  };
}

function find(
  name: string,
  type: DnsRecordType,
  recordsAt: (name: string) => Records | undefined,
): readonly string[] {
  let at = normalName(name);
  for (let count = 0; count <= MAX_ALIASES; count += 1) {
    const records = recordsAt(at);
    if (records === undefined) throw dnsError('ENOTFOUND', name, type);
    const values = records[type];
    if (values !== undefined) return values;
    const [alias] = records.CNAME ?? [];
    if (alias === undefined) break;
    at = normalName(alias);
  }
  throw dnsError('ENODATA', name, type);
}

function recordsAt(state: State, name: string, publicKey: string): Records | undefined {
  const ours = serviceRecords(name, publicKey) ?? accountRecords(state, name);
  const stated = worldOf(state.world).get(name);
  return ours === undefined && stated === undefined ? undefined : { ...ours, ...stated };
}

function serviceRecords(name: string, publicKey: string): Records | undefined {
  const key = { TXT: [`v=DKIM1; k=rsa; p=${publicKey}`] };
  switch (name) {
    case `dkimprovmx1.${SERVICE_DOMAIN}`:
    case `dkimprovmx2.${SERVICE_DOMAIN}`:
    case `dkimprovmx1._domainkey.${SERVICE_DOMAIN}`:
    case `dkimprovmx2._domainkey.${SERVICE_DOMAIN}`:
      return key;
    case `spf.${SERVICE_DOMAIN}`:
      return { TXT: ['v=spf1 ip4:127.0.0.0/8 ip6:::1 -all'] };
    case `mx1.${SERVICE_DOMAIN}`:
    case `mx2.${SERVICE_DOMAIN}`:
      return { A: ['127.0.0.1'], TXT: ['v=spf1 a -all'] };
    default:
      return undefined;
  }
}

/** Returns the records that a verification would find, which are those that the API shows as expected. */
function accountRecords({ domains }: State, name: string): Records | undefined {
  const [, prefix = '', rest = name] = /^(_dmarc|dkimprovmx[12]\._domainkey)\.(.+)$/.exec(name) ?? [];
  const domain = domains.get(rest);
  if (domain === undefined) return undefined;
  const records = renderRecords(domain) as unknown as ExpectedRecords;
  switch (prefix) {
    case '_dmarc':
      return inPlace(records.dmarc, 'TXT');
    case 'dkimprovmx1._domainkey':
      return inPlace(records.dkim1, 'CNAME');
    case 'dkimprovmx2._domainkey':
      return inPlace(records.dkim2, 'CNAME');
    default: {
      const { expected, valid } = records.mx;
      const exchanges = expected.map((host, index) => `${(index + 1) * 10} ${host}`);
      return { ...(valid ? { MX: exchanges } : {}), ...inPlace(records.spf, 'TXT') };
    }
  }
}

function inPlace({ expected, valid }: ExpectedRecord, type: DnsRecordType): Records | undefined {
  return valid ? { [type]: [expected] } : undefined;
}

interface ExpectedRecord {
  readonly expected: string;
  readonly valid: boolean;
}

interface ExpectedRecords {
  readonly dkim1: ExpectedRecord;
  readonly dkim2: ExpectedRecord;
  readonly dmarc: ExpectedRecord;
  readonly spf: ExpectedRecord;
  readonly mx: { readonly expected: readonly string[]; readonly valid: boolean };
}

const read = new WeakMap<World, ReadonlyMap<string, Records>>();

function worldOf(world: World): ReadonlyMap<string, Records> {
  const known = read.get(world);
  if (known !== undefined) return known;
  const names = new Map(Object.entries(world).map(([name, records]) => [normalName(name), records]));
  read.set(world, names);
  return names;
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Parses `10 mx.example.com`, with or without the number. */
function mailExchange(value: string): { readonly priority: number; readonly exchange: string } {
  const [, priority = '10', exchange = value] = /^(\d{1,5})\s+(\S+)$/.exec(value) ?? [];
  return { priority: Number(priority), exchange: exchange.replace(/\.$/, '') };
}

function dnsError(code: 'ENOTFOUND' | 'ENODATA', name: string, type: string): Error {
  return Object.assign(new Error(`query${type} ${code} ${name}`), { code });
}
