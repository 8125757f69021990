import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseDomainName, type DomainName } from '../../../core/model/names.ts';
import { concealAll } from './conceal-all.ts';
import { domainData } from './data/domain-data.ts';
import type { ItemChange } from './data/runs-data.ts';
import type { PagePorts } from './ports.ts';
import { parseQuery } from './query.ts';
import { sendPage } from './send-page.ts';
import { renderDomainPage, renderMissingDomain } from './views/pages/domain-view.ts';

/** Answers with the page of one domain: its forwards, its deliveries and its state. */
export async function sendDomain(
  request: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
  ports: PagePorts,
): Promise<FastifyReply> {
  const { statuses, manifests, conceal, disclosure, clock, command } = ports;
  const basePath = ports.basePath ?? '';
  const asked = request.params.name;
  const parsed = parseDomainName(asked);
  const name = parsed.ok ? parsed.value : asked;
  const query = parseQuery(request.query);
  const now = clock.now();
  const found = domainData(name, statuses(), manifests(), { query, now, disclosure, command });
  if (found === null) {
    const why = ports.fleet === undefined ? NOT_NAMED : NOT_OF_WORKERS;
    const content = renderMissingDomain(basePath, why);
    return sendPage(reply.code(404), ports, { title: 'No such domain', content, isLive: false, request });
  }
  const changes = await changesOf(found.account, name, ports);
  const shown = concealAll({ data: found, changes }, conceal);
  const content = renderDomainPage(shown.data, shown.changes, { basePath, query, now, command });
  return sendPage(reply, ports, { title: shown.data.row.name, content, isLive: true, request });
}

const NOT_NAMED = 'No manifest that is loaded names this domain.';
const NOT_OF_WORKERS = 'A worker of a fleet shows accounts, and no domains.';

async function changesOf(
  account: string,
  domain: string,
  { statuses, histories, recentChanges }: PagePorts,
): Promise<readonly ItemChange[]> {
  const history = histories().find((one) => one.account === account);
  if (history === undefined) return [];
  const lastRun = statuses().find(({ name }) => name === account)?.run?.id ?? null;
  return recentChanges(history, domain as DomainName, lastRun);
}
