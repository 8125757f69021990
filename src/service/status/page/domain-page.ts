import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseDomainName, type DomainName } from '../../../core/model/names.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { Fleet } from '../../../core/model/status/fleet.ts';
import type { AccountHistory } from '../../../engine/state/store.ts';
import { concealAll } from '../../conceal/conceal-all.ts';
import { domainData, type ShownAccount } from './data/domain-data.ts';
import type { ItemChange } from './data/runs-data.ts';
import type { PagePorts } from './page-ports.ts';
import { parseQuery } from './query.ts';
import { sendPage } from './send-page.ts';
import { renderDomainPage, renderMissingDomain } from './views/pages/domain-view.ts';
import { UNREACHABLE } from './views/fleet.ts';

/** Answers with the page of one domain: its forwards, its deliveries and its state. */
export async function sendDomain(
  request: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
  ports: PagePorts,
): Promise<FastifyReply> {
  const { conceal, disclosure, clock, command } = ports;
  const basePath = ports.basePath ?? '';
  const asked = request.params.name;
  const parsed = parseDomainName(asked);
  const name = parsed.ok ? parsed.value : asked;
  const query = parseQuery(request.query);
  const now = clock.now();
  const accounts = knownAccounts(ports);
  const found = domainData(name, accounts.statuses, accounts.manifests, { query, now, disclosure, command });
  if (found === null) {
    const why = conceal(await whereElse(name, ports));
    const content = renderMissingDomain(basePath, why);
    return sendPage(reply.code(404), ports, { title: 'No such domain', content, isLive: false, request });
  }
  const changes = await changesOf(found.account, name, accounts, ports);
  const shown = concealAll({ data: found, changes }, conceal);
  const content = renderDomainPage(shown.data, shown.changes, { basePath, query, now, command });
  return sendPage(reply, ports, { title: shown.data.row.name, content, isLive: true, request });
}

interface KnownAccounts {
  readonly statuses: readonly (ShownAccount & { readonly run: { readonly id: string } | null })[];
  readonly manifests: readonly Desired[];
  readonly histories: readonly AccountHistory[];
}

/** Returns the accounts of this process; a worker has those that it ran last. */
function knownAccounts({ statuses, manifests, histories, fleetDomains }: PagePorts): KnownAccounts {
  if (fleetDomains === undefined)
    return { statuses: statuses(), manifests: manifests(), histories: histories() };
  const ran = fleetDomains.ran();
  return {
    statuses: ran.map(({ status }) => status),
    manifests: ran.map(({ desired }) => desired),
    histories: ran.flatMap(({ status: { name: account }, history }) =>
      history === null ? [] : [{ account, history }],
    ),
  };
}

/** Says why the domain is not shown here, and which worker can show it. */
async function whereElse(domain: string, { fleet, fleetDomains }: PagePorts): Promise<string> {
  if (fleet === undefined || fleetDomains === undefined)
    return 'No manifest that is loaded names this domain.';
  const shown = await fleet();
  const account = await fleetDomains.accountOf(domain).catch(() => undefined);
  if (shown === null || account === undefined)
    return `${UNREACHABLE}, and this worker has not run the domain.`;
  if (account === null) return 'No published manifest is known to name this domain.';
  return `${domain} is a domain of ${account}. ${ranText(account, shown)}`;
}

function ranText(email: string, fleet: Fleet): string {
  const ranOn = fleet.accounts.find((account) => account.email === email)?.ranOn ?? null;
  if (ranOn === null) return 'No worker has run this account yet.';
  const worker = fleet.workers.find(({ id }) => id === ranOn);
  if (worker?.state !== 'running')
    return 'The worker that ran this account last has ended. The next run of the account makes another worker able to show it.';
  return `The page of ${worker.name} shows it: that worker made the last run of this account.`;
}

async function changesOf(
  account: string,
  domain: string,
  { statuses, histories }: KnownAccounts,
  { recentChanges }: PagePorts,
): Promise<readonly ItemChange[]> {
  const history = histories.find((one) => one.account === account);
  if (history === undefined) return [];
  const lastRun = statuses.find(({ name }) => name === account)?.run?.id ?? null;
  return recentChanges(history, domain as DomainName, lastRun);
}
