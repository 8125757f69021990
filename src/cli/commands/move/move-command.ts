import { createDns } from '../../../client/dns/ask.ts';
import { readPolicyFile } from '../../../client/dns/policy-file.ts';
import { createResolver } from '../../../client/dns/zone.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import { showDestinations } from '../../../core/model/destinations.ts';
import type { DomainName } from '../../../core/model/names.ts';
import { planOnce } from '../../../engine/plan-once.ts';
import { safeTextWith } from '../../../service/delivery/safe-text.ts';
import { moveDocument } from '../../../service/move/move-document.ts';
import { moveOnce, type Moved } from '../../../service/move/move-once.ts';
import type { MovePorts } from '../../../service/move/ports.ts';
import { settingsOfOwner } from '../../accounts/settings-of-owner.ts';
import { chooseOutput, type CommandCall, type CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { commandFailure, EXIT, interruptedExit, usageError, type ExitCode } from '../../exit.ts';
import { requireDomain } from '../../input/arguments.ts';
import { answerOf, assertAccountOf, connect } from '../../input/connect.ts';
import { readValid } from '../../input/manifest/desired.ts';
import { openSession, type Session } from '../../input/session.ts';
import { commandLine } from '../../output/command-lines.ts';
import { sentenceColumns } from '../../output/output.ts';
import { styleFor } from '../../output/paint.ts';
import type { Settings } from '../../settings/resolve-settings.ts';
import { assertSourceFlags } from '../import/source-flags.ts';
import { readFormerForwards, type FormerFlags } from './former-forwards.ts';
import { renderMove } from './move-text.ts';
import { rehearse } from './rehearse.ts';
import { resolverSettings } from './resolver.ts';

export interface MoveOptions extends FormerFlags {
  readonly resolver?: string;
  readonly formerTtl?: number;
}

/** Says what is next to move a domain to the service. It sends nothing but GET, the service's own check, and DNS queries. */
export async function moveCommand(
  context: Context,
  { settings, options, args: [name = ''] }: CommandCall<MoveOptions>,
): Promise<CommandResult> {
  const domain = requireDomain(name);
  assertSourceFlags(options);
  const servers = resolverSettings(options.resolver);
  const own = await settingsOfOwner(context, settings, domain);
  const { desired } = await readValid(context, own.manifest, { references: 'required', warnings: 'silent' });
  const present = presentDomain(desired, domain);
  const former = await readFormerForwards(context, options, domain);
  if (!former.ok) return former.error;
  const session = await openSessionOf(context, own, domain);
  try {
    const ports = await openPorts(context, { session, desired, present, servers });
    const question = {
      desired,
      domain: present,
      imported: former.value,
      formerTtl: options.formerTtl ?? null,
    };
    const moved = await moveOnce(question, ports, commandLine(context, desired.api));
    session.progress.stop();
    if (context.signal.aborted) return { exit: interruptedExit(context) };
    if (!moved.ok)
      throw commandFailure(moved.error.message, 'run this again; what was seen could not be recorded');
    const document = moveDocument(moved.value);
    const look = { style: styleFor(context.stdout, context.color), columns: sentenceColumns(context.stdout) };
    return {
      exit: exitOf(moved.value),
      ...chooseOutput(context, document, () => renderMove(document, look)),
    };
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

function presentDomain({ domains }: Desired, domain: DomainName): PresentDomain {
  const entry = domains.get(domain);
  if (entry?.state === 'present') return entry;
  const what = entry === undefined ? 'does not name' : 'wants to delete';
  throw usageError(`the manifest ${what} ${domain}`, 'check the spelling, or add the domain first');
}

/** Opens a session that plans this domain alone. */
function openSessionOf(context: Context, own: Settings, domain: DomainName): Promise<Session> {
  return openSession(
    context,
    { ...own, manifest: { ...own.manifest, domains: [domain] } },
    {
      command: 'move',
      reads: 'some',
      mode: 'read-only',
      stance: { accountRequired: false, domainDeletes: 'allowed' },
      warnings: 'silent',
    },
  );
}

interface OpenPorts {
  readonly session: Session;
  readonly desired: Desired;
  readonly present: PresentDomain;
  readonly servers: ReturnType<typeof resolverSettings>;
}

async function openPorts(context: Context, opening: OpenPorts): Promise<MovePorts> {
  const { session, desired, present, servers } = opening;
  const { client, connection, request } = session;
  const { clock, random, signal } = context;
  const account = answerOf(await client.getAccount());
  assertAccountOf(account, connection);
  const dns = createDns({ clock, random, signal });
  const resolver = createResolver(dns, servers.resolver);
  const disclosure = { references: desired.references, mask: context.mask };
  const show: MovePorts['show'] = {
    text: safeTextWith(() => disclosure),
    destinations: (destinations) => showDestinations(destinations, disclosure),
  };
  return {
    clock,
    dns,
    ...servers,
    readPolicyFile: (domain) => readPolicyFile(domain, resolver, servers.policyPort),
    client: { ...client, verifyDomain: (domain) => verify(context, session, domain) },
    plan: () => planOnce(request, session.ports),
    rehearse: (former) => rehearse(context, { desired, domain: present, disclosure, show }, former),
    state: session.ports.openState(account.email),
    show,
  };
}

/** Asks the service's own check, through a client that is opened for this request alone: no other may be anything but GET. */
async function verify(
  context: Context,
  { connection }: Session,
  domain: DomainName,
): ReturnType<MovePorts['client']['verifyDomain']> {
  const client = connect(context, connection, 'read-write');
  try {
    return await client.verifyDomain(domain);
  } finally {
    await client.close();
  }
}

/** 1 if neither the account nor the service's check nor DNS could be read: then no gate says anything. */
function exitOf({ seen: { account, check, zone }, gates }: Moved): ExitCode {
  if (![account, check, zone].some(({ ok }) => ok)) return EXIT.failed;
  return gates.every(({ state }) => state === 'done') ? EXIT.done : EXIT.changes;
}
