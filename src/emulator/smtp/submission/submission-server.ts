import type { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { SMTPServerAuthentication, SMTPServerSession } from 'smtp-server';
import type { State } from '../../account/state.ts';
import { smtpReply, splitAddress, type SmtpReply } from '../mail.ts';
import type { Acceptance } from '../receive/accept.ts';
import { collectData } from '../receive/data.ts';
import { MAIL_PARAMETERS, MailServer, refuseCommand } from '../receive/envelope.ts';
import { closedReply, normalAddress } from '../receive/recipients.ts';
import {
  answerData,
  commonOptions,
  dataReply,
  listen,
  originOf,
  refuseRecipient,
  replyText,
  senderOf,
  smtpError,
  type ReceptionParts,
  type SmtpListener,
} from '../receive/receiving-server.ts';
import type { SubmittedMail, Submitter } from './submit.ts';

/** Number of wrong passwords that end a connection. The name is then barred for a minute. */
const MAX_FAILURES = 3;
const MINUTE = 60_000;

export type SubmissionParts = Omit<ReceptionParts, 'accept' | 'srsKey' | 'logged'> & {
  readonly submit: (mail: SubmittedMail) => Promise<Acceptance>;
};

/** Starts the server for mail programs, which send as the account's domains with SMTP credentials, only over TLS. */
export function listenForSubmissions(parts: SubmissionParts, port: number): Promise<SmtpListener> {
  const attempts = createAttempts(() => parts.state().environment.now());
  const server = new MailServer({
    ...commonOptions(parts),
    authMethods: ['PLAIN', 'LOGIN'],
    // A mail program that is offered AUTH without TLS sends the password at once.
    onConnect(session, done) {
      session.disabledCommands = ['AUTH'];
      done();
    },
    onSecure(_socket, session, done) {
      session.disabledCommands = [];
      done();
    },
    onAuth(auth, _session, done) {
      const result = signIn(parts.state(), auth, attempts);
      if ('code' in result) done(null, { responseCode: result.code, message: replyText(result) });
      else done(null, { user: result });
    },
    onMailFrom(sender, session, done) {
      const submitter = submitterOf(session);
      const refused =
        submitter === null
          ? smtpReply(530, 'sign in first: STARTTLS, then AUTH')
          : (refuseCommand(sender, sender, [...MAIL_PARAMETERS, 'AUTH']) ??
            refuseSender(parts.state(), submitter, normalAddress(sender.address)));
      done(refused === null ? null : smtpError(refused));
    },
    onRcptTo(to, session, done) {
      const isAddress = splitAddress(to.address) !== null;
      const wrong = isAddress ? null : smtpReply(553, `${to.address} is not an address`);
      const refused = refuseRecipient(to, session) ?? wrong;
      done(refused === null ? null : smtpError(refused));
    },
    onData(stream, session, done) {
      void takeSubmission(parts, stream, session).then((acceptance) => answerData(acceptance, done));
    },
  });
  return listen(server, port);
}

interface Attempts {
  isBarred(name: string): boolean;
  /** Counts a wrong password. Returns true if it was one too many. */
  fail(name: string): boolean;
}

function createAttempts(now: () => number): Attempts {
  const failures = new Map<string, { readonly since: number; readonly count: number }>();
  const current = (name: string): { readonly since: number; readonly count: number } => {
    const known = failures.get(name);
    return known === undefined || now() - known.since >= MINUTE ? { since: now(), count: 0 } : known;
  };
  return {
    isBarred: (name) => current(name).count >= MAX_FAILURES,
    fail(name) {
      const { since, count } = current(name);
      // A client that tries many names must not fill the memory.
      if (failures.size > 1000) failures.clear();
      failures.set(name, { since, count: count + 1 });
      return count + 1 >= MAX_FAILURES;
    },
  };
}

function signIn(
  state: State,
  { username = '', password }: SMTPServerAuthentication,
  attempts: Attempts,
): Submitter | SmtpReply {
  const name = normalAddress(username).toLowerCase();
  if (attempts.isBarred(name)) return TOO_MANY;
  const found = findSubmitter(state, name);
  if (found !== null && found.credential.password === password) return found;
  return attempts.fail(name) ? TOO_MANY : smtpReply(535, 'the username or the password is wrong');
}

/** Finds a credential by its address. */
function findSubmitter(state: State, name: string): Submitter | null {
  const parts = splitAddress(name);
  const domain = state.domains.get(parts?.domain ?? '');
  const credential = domain?.credentials.get(parts?.local ?? '');
  if (domain === undefined || credential === undefined) return null;
  return { domain, credential, address: `${credential.username}@${domain.name}` };
}

const TOO_MANY = smtpReply(421, 'too many wrong passwords, try again in a minute');

/** Returns the signed-in credential, or null if there is none. */
function submitterOf({ user }: SMTPServerSession): Submitter | null {
  return (user as Submitter | false | undefined) || null;
}

/** Returns why a mail may not be sent from this address, or null if it may (v4: SMTP setup of a domain; switch `sendAs`). */
export function refuseSender(state: State, { domain, address }: Submitter, sender: string): SmtpReply | null {
  const closed = closedReply(state);
  if (closed !== null) return closed;
  if (!domain.fields.send_ready) {
    return smtpReply(
      550,
      `sending from ${domain.name} is blocked until its DKIM and DMARC records are in DNS`,
    );
  }
  const isOwn = sender.toLowerCase() === address.toLowerCase();
  const isOfDomain = splitAddress(sender)?.domain === domain.name;
  const isAllowed = { own: isOwn, domain: isOwn || isOfDomain, any: true }[state.switches.sendAs];
  return isAllowed ? null : smtpReply(553, `${address} may not send as ${sender || 'the null sender'}`);
}

async function takeSubmission(
  { submit, maximumBytes, room }: SubmissionParts,
  stream: Readable,
  session: SMTPServerSession,
): Promise<Acceptance> {
  const [sender, origin] = [senderOf(session), originOf(session)];
  const recipients = session.envelope.rcptTo.map(({ address }) => normalAddress(address));
  const submitter = submitterOf(session);
  if (submitter === null) return { kind: 'refused', reply: smtpReply(530, 'sign in first') };
  try {
    const data = await collectData(stream, maximumBytes, room);
    if (data.kind !== 'whole') return { kind: 'refused', reply: dataReply(data.kind, maximumBytes) };
    const raw: Buffer = data.raw;
    return await submit({ raw, sender, origin, recipients, submitter });
  } catch {
    return { kind: 'refused', reply: smtpReply(451, 'the message could not be stored, try again') };
  }
}
