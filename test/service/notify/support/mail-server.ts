import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import PostalMime, { type Email } from 'postal-mime';
import { onTestFinished } from 'vitest';
import { makeCertificate } from '../../../../src/emulator/smtp/receive/certificate.ts';
import { MailServer } from '../../../../src/emulator/smtp/receive/envelope.ts';
import { listen } from '../../../../src/emulator/smtp/receive/receiving-server.ts';

export interface ReceivedMail extends Email {
  readonly raw: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly recipients: readonly string[];
}

export interface MailServerOptions {
  /** `none` means that the server offers no TLS. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly port?: number;
  /** Recipients that are refused. */
  readonly refused?: readonly string[];
}

const certificate = makeCertificate('mx.example', Date.now());

/** Starts the mail server of the emulator, which keeps all mail. This process trusts its certificate. */
export async function startMailServer({ tls, port = 0, refused = [] }: MailServerOptions) {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const server = new MailServer({
    ...certificate,
    secure: tls === 'implicit',
    disabledCommands: tls === 'none' ? ['STARTTLS'] : [],
    disableReverseLookup: true,
    allowInsecureAuth: true,
    authOptional: true,
    closeTimeout: 50,
    onAuth: ({ username, password }, _session, done) => {
      const isRight = password === 'p%ss word';
      done(isRight ? null : new Error(`no such user ${username}`), { user: username });
    },
    onMailFrom(_address, _session, done) {
      commands.push('MAIL');
      done();
    },
    onRcptTo({ address }, _session, done) {
      done(refused.includes(address) ? Object.assign(new Error('no'), { responseCode: 550 }) : null);
    },
    onData(stream, { secure: isSecure, user, envelope }, done) {
      const keep = async (): Promise<void> => {
        const raw = await text(stream);
        const recipients = envelope.rcptTo.map(({ address }) => address);
        mails.push({ ...(await PostalMime.parse(raw)), raw, isSecure, user: user as string, recipients });
        done();
      };
      void keep();
    },
  });
  const listener = await listen(server, port);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await listener.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { mails, commands, close, port: Number(listener.address.split(':')[1]) };
}
