import { connect } from 'node:net';

/** An SMTP conversation line by line, including lines that no library would send. */
export interface Conversation {
  /** Sends a line. Returns the last line of the answer. */
  say(line: string): Promise<string>;
  /** Sends raw bytes. Returns this many answers. */
  raw(bytes: string | Buffer, answers: number): Promise<readonly string[]>;
  end(): void;
}

/** Connects to `127.0.0.1:PORT`, and waits for the greeting. */
export async function converse(address: string | null): Promise<Conversation> {
  const socket = connect(Number(address?.split(':')[1]), '127.0.0.1');
  const answers: string[] = [];
  let rest = '';
  let isClosed = false;
  let wake = (): void => undefined;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  socket.on('data', (chunk) => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\r\n');
    rest = lines.pop() ?? '';
    answers.push(...lines.filter((line) => /^\d{3} /.test(line)));
    wake();
  });
  const next = async (): Promise<string> => {
    while (answers.length === 0) {
      if (isClosed) return 'closed';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return answers.shift() ?? '';
  };
  await next();
  return {
    say(line) {
      socket.write(`${line}\r\n`);
      return next();
    },
    async raw(bytes, count) {
      socket.write(bytes);
      const given: string[] = [];
      while (given.length < count) given.push(await next());
      return given;
    },
    end: () => socket.destroy(),
  };
}

/** Sends one mail, all commands at once. Returns the answers to RCPT TO, and to the message if a recipient was accepted. */
export async function sendRaw(
  address: string | null,
  { from, to, raw }: { readonly from: string; readonly to: readonly string[]; readonly raw: string | Buffer },
): Promise<{ readonly recipients: readonly string[]; readonly data: string | null }> {
  const conversation = await converse(address);
  await conversation.say('EHLO client.example');
  const commands = [`MAIL FROM:<${from}>`, ...to.map((each) => `RCPT TO:<${each}>`)];
  const [, ...recipients] = await conversation.raw(
    commands.map((line) => `${line}\r\n`).join(''),
    commands.length,
  );
  let data: string | null = null;
  if (recipients.some((answer) => answer.startsWith('250'))) {
    await conversation.say('DATA');
    const body = Buffer.isBuffer(raw) ? raw : Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n'));
    [data = null] = await conversation.raw(Buffer.concat([body, Buffer.from('\r\n.\r\n')]), 1);
  }
  conversation.end();
  return { recipients, data };
}
