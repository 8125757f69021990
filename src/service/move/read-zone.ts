import { recordsOf, type Dns, type DnsAnswer, type ResourceRecord } from '../../client/dns/dns.ts';
import {
  createResolver,
  findZone,
  negativeTtl,
  shownServer,
  type Resolver,
  type Zone,
  type ZoneServer,
} from '../../client/dns/zone.ts';
import { isSpf } from '../../core/dns/spf.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { showMx } from '../../core/move/mx-text.ts';
import type { MxRecord, Read, ServerAnswer, SpfFacts, ZoneFacts } from '../../core/move/observation.ts';
import type { MovePorts } from './ports.ts';
import { countLookups } from './spf-lookups.ts';

/** The answers of DNS about a domain. */
export interface DnsFacts {
  readonly zone: Read<ZoneFacts>;
  readonly spf: Read<SpfFacts>;
  /** The TXT records of the domain, as they are; empty if they were not read. */
  readonly texts: readonly string[];
}

type DnsPorts = Pick<MovePorts, 'dns' | 'resolver' | 'serverPort' | 'show'>;

/** Asks every server of the domain's zone for its MX records, and one of them for its texts. */
export async function readDns(domain: string, ports: DnsPorts): Promise<DnsFacts> {
  const { dns, serverPort, show } = ports;
  const resolver = createResolver(dns, ports.resolver);
  const zone = await findZone(resolver, domain, serverPort);
  if (!zone.ok) {
    const reason = fail(show.text(zone.error.message));
    return { zone: reason, spf: reason, texts: [] };
  }
  const answers = await Promise.all(
    zone.value.servers.map(async (server) => ({ server, answer: await askMx(dns, server, domain) })),
  );
  const answering = answers.find(({ answer }) => answer.kind === 'mx' || answer.kind === 'none');
  const wildcard = answering === undefined ? null : await askMx(dns, answering.server, `*.${domain}`);
  const isInherited = answering !== undefined && (await comesFromAbove(domain, zone.value, answering, dns));
  const texts = await readTexts(domain, resolver, answering?.server, dns);
  const spf = texts.ok
    ? succeed(await spfFacts(domain, texts.value, resolver, show))
    : fail(show.text(texts.error));
  return {
    zone: succeed({
      zone: zone.value.name,
      servers: [
        ...answers.map(({ server, answer }) => ({
          name: serverName(server),
          answer: shownAnswer(answer, show),
        })),
        ...withoutAddress(zone.value, show),
      ],
      wildcard: wildcard?.kind === 'mx' ? wildcard.records : [],
      isInherited,
    }),
    spf,
    texts: texts.ok ? texts.value : [],
  };
}

/** True if the wildcard above a domain in its zone has the domain's MX records. */
async function comesFromAbove(
  domain: string,
  zone: Zone,
  { server, answer }: { readonly server: ZoneServer; readonly answer: ServerAnswer },
  dns: Dns,
): Promise<boolean> {
  if (zone.name === domain || answer.kind !== 'mx') return false;
  const above = await askMx(dns, server, `*.${domain.split('.').slice(1).join('.')}`);
  // Servers answer with records in any order.
  return above.kind === 'mx' && showMx(above.records) === showMx(answer.records);
}

function serverName({ name, server }: ZoneServer): string {
  return `${hostText(name)} (${shownServer(server)})`;
}

function withoutAddress({ unknown }: Zone, { text }: MovePorts['show']): ZoneFacts['servers'] {
  return unknown.map(({ name, reason }) => ({
    name: hostText(name),
    answer: { kind: 'silent', reason: text(reason) },
  }));
}

function shownAnswer(answer: ServerAnswer, { text }: MovePorts['show']): ServerAnswer {
  return 'reason' in answer ? { ...answer, reason: text(answer.reason) } : answer;
}

async function askMx(dns: Dns, { server }: ZoneServer, name: string): Promise<ServerAnswer> {
  const answer = await dns.ask(server, { name, type: 'MX' }, 'direct');
  return answer.ok ? answerOf(answer.value, name) : { kind: 'silent', reason: answer.error.message };
}

/** Reads the answer of a server of the zone. One that is not for its zone says nothing about the records. */
function answerOf(answer: DnsAnswer, name: string): ServerAnswer {
  const { code, isAuthoritative, answers } = answer;
  if (code !== 'NOERROR' && code !== 'NXDOMAIN') return { kind: 'lame', reason: `it answers ${code}` };
  if (!isAuthoritative) return { kind: 'lame', reason: 'it is not responsible for the zone' };
  const own = answers.filter((record) => record.name === name);
  const [alias] = recordsOf(own, 'CNAME');
  if (alias !== undefined) return { kind: 'cname', target: hostText(alias.value) };
  const mx = recordsOf(own, 'MX');
  if (mx.length === 0) return { kind: 'none', ttl: negativeTtl(answer), isMissingName: code === 'NXDOMAIN' };
  const ttl = Math.max(...mx.map((record) => record.ttl));
  return { kind: 'mx', records: mx.slice(0, MOST_RECORDS).map(mxRecord), ttl };
}

const MOST_RECORDS = 50;

function mxRecord({ preference, exchange }: Extract<ResourceRecord, { readonly type: 'MX' }>): MxRecord {
  return { preference, exchange: hostText(exchange) };
}

/** Returns a name of DNS as it may be shown: anything but the signs of host names is escaped. */
export function hostText(name: string): string {
  const safe = name.replace(/[^a-z0-9._*-]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  return safe.slice(0, 255);
}

/** Finds the SPF records among the texts of the domain, and counts the look-ups that one takes. */
async function spfFacts(
  domain: string,
  texts: readonly string[],
  resolver: Resolver,
  show: MovePorts['show'],
): Promise<SpfFacts> {
  const records = texts.filter(isSpf);
  const [record] = records;
  const isOne = records.length === 1 && record !== undefined;
  const lookups = isOne ? await countLookups(domain, record, resolver) : null;
  return { records: records.map(show.text), lookups };
}

/** Reads the TXT records of the domain, from a server of the zone if one answers. */
async function readTexts(
  domain: string,
  resolver: Resolver,
  server: ZoneServer | undefined,
  dns: Dns,
): Promise<Result<readonly string[], string>> {
  const direct =
    server === undefined ? null : await dns.ask(server.server, { name: domain, type: 'TXT' }, 'direct');
  if (direct?.ok === true && direct.value.isAuthoritative)
    return succeed(recordsOf(direct.value.answers, 'TXT').map(({ text }) => text));
  const looked = await resolver.look(domain, 'TXT');
  return looked.ok ? succeed(looked.value.map(({ text }) => text)) : fail(looked.error.message);
}
