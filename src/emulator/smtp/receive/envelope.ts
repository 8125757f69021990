import { SMTPServer, type SMTPServerAddress, type SMTPServerSession } from 'smtp-server';
import { quoteLocal, smtpReply, unquoteLocal, type SmtpReply } from '../mail.ts';

/** The address in a MAIL or RCPT command. */
interface EnvelopeAddress extends SMTPServerAddress {
  /** True if the address contains non-ASCII characters. */
  readonly isUtf8?: boolean;
}

/** A server that also accepts quoted local parts (RFC 5321, 4.1.2), which the library's parser refuses. */
export class MailServer extends SMTPServer {
  override connect(...args: Parameters<SMTPServer['connect']>): void {
    super.connect(...args);
    const connection = [...this.connections].at(-1);
    if (connection === undefined) return;
    const parse = connection._parseAddressCommand.bind(connection);
    connection._parseAddressCommand = (name, command) => {
      const text = String(command);
      const parsed = parseCommand(text, (plain) => parse(name, plain));
      return parsed && Object.assign(parsed, { isUtf8: /<[^>]*[^\u0000-\u007f]/.test(text) });
    };
  }
}

type Parsed = SMTPServerAddress | false;

/** Parses a quoted local part; the library parses everything else. */
function parseCommand(text: string, parse: (text: string) => Parsed): Parsed {
  const quoted = /^([^<"]*<(?:@[^<>":]*:)?)("(?:[^"\\\p{Cc}]|\\\P{Cc})*")(@[^<>"]*>.*)$/u.exec(text);
  if (quoted === null) return text.includes('"') ? false : parse(text);
  const [, head = '', local = '', tail = ''] = quoted;
  const parsed = parse(`${head}x${tail}`);
  return parsed && { ...parsed, address: `${quoteLocal(unquoteLocal(local))}${parsed.address.slice(1)}` };
}

/** Parameters that each command accepts. */
export const MAIL_PARAMETERS = ['SIZE', 'BODY', 'SMTPUTF8', 'RET', 'ENVID', 'REQUIRETLS'] as const;
export const RCPT_PARAMETERS = ['NOTIFY', 'ORCPT'] as const;

/**
 * Returns why a command is refused for its parameters or characters, or null if it is not. `mailFrom` is the MAIL command's
 * address.
 */
export function refuseCommand(
  { args, address, isUtf8 }: EnvelopeAddress,
  mailFrom: Pick<SMTPServerAddress, 'args'>,
  parameters: readonly string[],
): SmtpReply | null {
  const unknown = Object.keys(args || {}).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    return smtpReply(555, `unknown parameter ${unknown.replaceAll(/[^!-~]/g, '?').slice(0, 40)}`);
  }
  if (isUtf8 !== true || wantsUtf8(mailFrom)) return null;
  return smtpReply(553, `${address} needs SMTPUTF8`);
}

function wantsUtf8({ args }: Pick<SMTPServerAddress, 'args'>): boolean {
  return Object.hasOwn(args || {}, 'SMTPUTF8');
}

/** Returns the protocol for a `Received` header (RFC 6531, 4.3). */
export function protocolOf({ transmissionType, envelope: { mailFrom } }: SMTPServerSession): string {
  const isUtf8 = mailFrom !== false && wantsUtf8(mailFrom);
  return isUtf8 ? transmissionType.replace(/^ESMTP/, 'UTF8SMTP') : transmissionType;
}
