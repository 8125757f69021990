import type { Buffer } from 'node:buffer';
import { CONTROL_ROOT, controlAnswer, controlFailure, type ControlExtension } from '../../control/control.ts';
import type { EmulatorAnswer } from '../../http/protocol.ts';
import { problemsOf } from '../../http/schemas.ts';
import type { FailureScript, ScriptedFailure } from '../forward/scripted.ts';
import { parseMail } from '../receive/parse.ts';
import type { WorldResolver } from '../world/world.ts';
import type { ArrivedMail, Mailboxes } from './mailboxes.ts';
import { frameAnswer, mailPage, mailboxPage, overviewPage } from './page.ts';

export interface MailControlParts {
  readonly mailboxes: Mailboxes;
  readonly script: FailureScript;
  readonly world: WorldResolver;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

type ControlAsked = Parameters<ControlExtension['answer']>[0];

const MAX_WAIT_SECONDS = 600;
const ROUTES = [
  'GET /mailboxes',
  'DELETE /mailboxes',
  'GET /mailboxes/:address',
  'DELETE /mailboxes/:address',
  'GET /mailboxes/:address/:id',
  'DELETE /mailboxes/:address/:id',
  'GET /mailboxes/:address/:id/raw',
  'GET /failures',
  'PUT /failures',
  'GET /dns?name=NAME&type=TYPE',
  'GET /mail',
];

/** Returns the part of the control interface that serves mail. */
export function mailControl(parts: MailControlParts): ControlExtension {
  return {
    routes: ROUTES.map((route) => route.replace(' ', ` ${CONTROL_ROOT}`)),
    async answer(asked) {
      const [, root, ...rest] = asked.path.split('/');
      const steps = rest.map(decodeStep);
      switch (root) {
        case 'mailboxes':
          return answerMailboxes(parts, asked, steps);
        case 'failures':
          return answerFailures(parts.script, asked);
        case 'dns':
          return asked.method === 'GET' ? answerDns(parts.world, asked.query) : null;
        case 'mail':
          return asked.method === 'GET' ? answerPage(parts.mailboxes, steps) : null;
        default:
          return null;
      }
    },
  };
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

async function answerMailboxes(
  { mailboxes, sleep }: MailControlParts,
  { method, query }: ControlAsked,
  [address, id, form]: readonly string[],
): Promise<EmulatorAnswer | null> {
  if (method !== 'GET' && method !== 'DELETE') return null;
  if (id !== undefined) return answerMail(mailboxes, method, { address: address ?? '', id, form });
  const list = (): readonly ArrivedMail[] =>
    address === undefined ? mailboxes.all().flatMap(([, mails]) => mails) : mailboxes.of(address);
  if (method === 'DELETE') {
    const mails = list();
    await mailboxes.remove(mails);
    return controlAnswer(200, { deleted: mails.length });
  }
  const seconds = Number(query.get('wait') ?? 0);
  if (!(seconds >= 0 && seconds <= MAX_WAIT_SECONDS)) {
    return controlFailure(400, `wait must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}.`);
  }
  const after = query.get('after');
  await waitFor(mailboxes, () => since(list(), after).length > 0, { seconds, sleep });
  if (address !== undefined)
    return controlAnswer(200, { address, messages: since(list(), after).map(shownMail) });
  const boxes = mailboxes.all().map(([each, mails]) => ({ address: each, messages: mails.length }));
  return controlAnswer(200, { mailboxes: boxes });
}

/** Returns the mails that arrived after the one with this id, or all mails if none has it. */
function since(mails: readonly ArrivedMail[], after: string | null): readonly ArrivedMail[] {
  return mails.slice(after === null ? 0 : mails.findIndex(({ id }) => id === after) + 1);
}

async function waitFor(
  mailboxes: Mailboxes,
  isThere: () => boolean,
  { seconds, sleep }: { readonly seconds: number; readonly sleep: MailControlParts['sleep'] },
): Promise<void> {
  if (seconds === 0 || isThere()) return;
  const over = new AbortController();
  const timeout = sleep(seconds * 1000, over.signal).then(() => over.abort());
  while (!over.signal.aborted && !isThere()) await mailboxes.next(over.signal);
  over.abort();
  await timeout;
}

async function answerMail(
  mailboxes: Mailboxes,
  method: 'GET' | 'DELETE',
  { address, id, form }: { readonly address: string; readonly id: string; readonly form: string | undefined },
): Promise<EmulatorAnswer | null> {
  const mail = mailboxes.of(address).find((each) => each.id === id);
  const raw = mail === undefined ? undefined : await mailboxes.raw(mail);
  if (mail === undefined || raw === undefined) return controlFailure(404, 'There is no such message.');
  if (method === 'DELETE') {
    await mailboxes.remove([mail]);
    return { status: 204, headers: {}, body: '' };
  }
  if (form === 'raw') return rawAnswer(mail, raw);
  return form === undefined ? controlAnswer(200, await parsedMail(mail, raw)) : null;
}

function rawAnswer({ type }: ArrivedMail, raw: Buffer): EmulatorAnswer {
  const headers = {
    'Content-Type': type === 'json' ? 'application/json' : 'message/rfc822',
    'Content-Disposition': 'attachment; filename="message.eml"',
    'X-Content-Type-Options': 'nosniff',
  };
  return { status: 200, headers, body: '', bytes: raw };
}

async function parsedMail(mail: ArrivedMail, raw: Buffer): Promise<object> {
  if (mail.type === 'json')
    return { ...shownMail(mail), payload: JSON.parse(raw.toString('utf8')) as unknown };
  const parsed = await parseMail(raw);
  if (!parsed.ok) return { ...shownMail(mail), problem: parsed.reason };
  const {
    headers,
    text = '',
    html = null,
    attachments,
    from,
    to = [],
    cc = [],
    date,
    messageId,
  } = parsed.email;
  return {
    ...shownMail(mail),
    subject: parsed.parts.subject,
    from: from ?? null,
    to,
    cc,
    date: date ?? null,
    message_id: messageId ?? null,
    headers: headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    text,
    html,
    attachments: attachments.map(({ filename, mimeType, disposition, contentId, content }) => ({
      name: filename,
      type: mimeType,
      disposition,
      content_id: contentId ?? null,
      size: typeof content === 'string' ? content.length : content.byteLength,
    })),
  };
}

function shownMail({ id, address, arrivedAt, sender, recipient, size, subject, type }: ArrivedMail): object {
  const arrived_at = new Date(arrivedAt).toISOString();
  return { id, address, arrived_at, sender, recipient, size, subject, type };
}

function answerFailures(script: FailureScript, { method, body }: ControlAsked): EmulatorAnswer | null {
  if (method === 'GET') return controlAnswer(200, script.pending());
  if (method !== 'PUT') return null;
  const problems = problemsOf('failures', body);
  if (problems.length > 0) return controlFailure(400, 'The body is not valid', problems);
  script.replace(body as readonly ScriptedFailure[]);
  return controlAnswer(200, script.pending());
}

/** Answers a query to the emulated DNS, for other programs that check signatures and senders. */
async function answerDns(world: WorldResolver, query: URLSearchParams): Promise<EmulatorAnswer> {
  const name = query.get('name') ?? '';
  const type = (query.get('type') ?? 'TXT').toUpperCase();
  try {
    const values: readonly unknown[] = await world(name, type);
    return controlAnswer(200, { name, type, values: values.flat() });
  } catch (error) {
    return controlFailure(404, `There is no ${type} record of ${name}: ${(error as Error).message}`);
  }
}

async function answerPage(
  mailboxes: Mailboxes,
  [address, id, form]: readonly string[],
): Promise<EmulatorAnswer | null> {
  if (address === undefined) return overviewPage(mailboxes.all());
  if (id === undefined) return mailboxPage(address, mailboxes.of(address));
  const mail = mailboxes.of(address).find((each) => each.id === id);
  const raw = mail === undefined ? undefined : await mailboxes.raw(mail);
  if (mail === undefined || raw === undefined) return controlFailure(404, 'There is no such message.');
  const parsed = await parseMail(raw);
  if (form === 'html') return frameAnswer(parsed.ok ? (parsed.email.html ?? '') : '');
  return form === undefined ? mailPage(mail, raw, parsed) : null;
}
