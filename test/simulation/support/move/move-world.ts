import { importTexts } from '../../../prove/support/import/imported.ts';
import type { ImportedDomain } from '../../../../src/core/manifest/import/translated.ts';
import type { Desired } from '../../../../src/core/model/desired.ts';
import { recordsOf } from '../../../../src/client/dns/dns.ts';
import type { DnsState } from '../../../../src/emulator/account/model.ts';
import type { TestRecord } from '../../../support/dns/dns-server.ts';
import type { Scenario } from '../scenario.ts';
import { openWorld, randomOf, type World } from '../world.ts';
import { virtualText } from './old-side.ts';
import { DOMAIN, randomMove, SERVICE, type MoveDraw } from './random-move.ts';
import type { HostReply, Internet, PublishedPolicy, Sender } from './senders.ts';
import { createCache, createZone, type CachingResolver, type LaggingZone } from './zone.ts';

export const OWNER = 'owner@account.example';
const SENDERS = 5;

/** Forwards of the old side as the import code reads them. */
export interface Imported {
  readonly desired: Desired;
  readonly domain: ImportedDomain;
}

/** A moving domain and everything around it. */
export interface MoveWorld {
  readonly draw: MoveDraw;
  readonly account: World;
  readonly zone: LaggingZone;
  readonly resolver: CachingResolver;
  readonly senders: readonly Sender[];
  readonly internet: Internet;
  readonly random: () => number;
  readonly former: Imported;
  readonly scenario: Scenario;
  /** The manifest in force. */
  desired: Desired;
  policy: PublishedPolicy | null;
  isOldSideOpen: boolean;
  /** True once the service's own check has shown that it forwards. */
  hasForwarded: boolean;
  /** TTL of the MX records. */
  mxTtl: number;
}

export function openMove(seed: number): MoveWorld {
  const random = randomOf(seed);
  const draw = randomMove(random);
  const former = importMap(draw, null);
  const scenario: Scenario = {
    name: `move ${seed}`,
    version: draw.version,
    emulator: {
      state: { account: { email: OWNER } },
      switches: { unverifiedDomain: 'refuse', catchAllOnCreate: draw.catchAllOnCreate ? 'both' : 'none' },
    },
    before: [],
    edits: [],
    desired: former.desired,
    flags: {},
    env: {},
  };
  const account = openWorld(scenario, { strokes: new Map(), seed });
  const now = (): number => account.clock.now();
  const zone = createZone({ domain: DOMAIN, records: recordsFor(draw), ...draw.zone, now, random });
  const senders = Array.from({ length: SENDERS }, () => ({ resolver: createCache(zone, now), policy: null }));
  const world: MoveWorld = {
    draw,
    account,
    zone,
    resolver: createCache(zone, now),
    senders,
    internet: {
      domain: DOMAIN,
      now,
      policyFile: () => world.policy,
      connect: (host, local) => connect(world, host, local),
    },
    random,
    former,
    scenario,
    desired: draw.manifestLacks === null ? former.desired : importMap(draw, draw.manifestLacks).desired,
    policy: draw.policy,
    isOldSideOpen: true,
    hasForwarded: false,
    mxTtl: draw.ttl,
  };
  account.core.onRequest(({ phase, path }) => {
    if (phase === 'before' && /\/(?:verify|check)$/.test(path)) checkDns(world);
    world.hasForwarded ||= account.core.store.state.domains.get(DOMAIN)?.fields.forwarding_ready === true;
  });
  return world;
}

function importMap(draw: MoveDraw, without: string | null): Imported {
  const map = new Map([...draw.map].filter(([local]) => local !== without));
  const source = { format: 'postfix', file: 'virtual', text: virtualText(DOMAIN, map) } as const;
  const { desired, domains } = importTexts([source]);
  const [domain] = domains;
  if (domain === undefined) throw new Error('nothing was imported');
  return { desired, domain };
}

function recordsFor({ ttl, negativeTtl, oldHosts, hasWildcard, policy }: MoveDraw): readonly TestRecord[] {
  const mx = (name: string): readonly TestRecord[] =>
    oldHosts.map((host, index) => ({ name, type: 'MX', ttl, data: `${(index + 1) * 10} ${host}` }));
  return [
    { name: DOMAIN, type: 'SOA', ttl: negativeTtl, data: String(negativeTtl) },
    { name: DOMAIN, type: 'A', ttl, data: '192.0.2.1' },
    { name: DOMAIN, type: 'TXT', ttl, data: 'v=spf1 mx -all' },
    ...mx(DOMAIN),
    ...(hasWildcard ? mx(`*.${DOMAIN}`) : []),
    ...(policy === null ? [] : [stsRecord(policy.id, ttl)]),
  ];
}

function stsRecord(id: string, ttl: number): TestRecord {
  return { name: `_mta-sts.${DOMAIN}`, type: 'TXT', ttl, data: `v=STSv1; id=${id};` };
}

/** True for hosts of the old side: the old hosts, and the domain itself if it has no MX records. */
function connect(world: MoveWorld, host: string, local: string): HostReply {
  if (SERVICE.includes(host))
    return world.draw.isServiceUp(world.internet.now()) ? askService(world, local) : ABSENT;
  const isUp = world.isOldSideOpen && world.draw.isOldSideUp(world.internet.now());
  if (!isUp) return ABSENT;
  const to = world.draw.endsOf(local);
  return to.length === 0 ? { kind: 'refused' } : { kind: 'accepted', to };
}

const ABSENT: HostReply = { kind: 'absent' };

function askService({ account: { core } }: MoveWorld, local: string): HostReply {
  const delivered = core.deliver({ to: `${local}@${DOMAIN}`, from: 'sender@elsewhere.example' });
  if (!delivered.ok || delivered.value.route.kind === 'refused') return { kind: 'refused' };
  return { kind: 'accepted', to: delivered.value.destinations.toSorted() };
}

/** The service asks only one server of the zone. */
function checkDns({ account: { core }, zone, draw }: MoveWorld): void {
  const fields = core.store.state.domains.get(DOMAIN)?.fields;
  if (fields === undefined) return;
  const hosts = recordsOf(zone.askAny({ name: DOMAIN, type: 'MX' })?.answers ?? [], 'MX').map(
    ({ exchange }) => exchange,
  );
  const own = hosts.filter((host) => SERVICE.includes(host));
  const has = (name: string, text: string): boolean =>
    zone.records().some((record) => record.name === name && record.data.includes(text));
  const found: DnsState = {
    mx: own.length > 0 && (!draw.isStrict || own.length === hosts.length),
    spf: has(DOMAIN, 'include:spf.improvmx.com'),
    dkim1: has(`dkimprovmx1._domainkey.${DOMAIN}`, 'improvmx.com'),
    dkim2: has(`dkimprovmx2._domainkey.${DOMAIN}`, 'improvmx.com'),
    dmarc: has(`_dmarc.${DOMAIN}`, 'v=DMARC1'),
  };
  Object.assign(fields.dns, found);
}
