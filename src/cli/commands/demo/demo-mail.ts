import { randomUUID } from 'node:crypto';
import { sendBySmtp } from '../../../emulator/smtp/forward/client.ts';
import { startMail, type MailService } from '../../../emulator/smtp/start.ts';
import { normaliseDestination, showDestinations, type Disclosure } from '../../../core/model/destinations.ts';
import { composeMail } from '../test/compose-mail.ts';
import type { Narrator } from './narrator.ts';
import type { Stage } from './stage.ts';

const SHOP = 'acme-shop.example';
const MAILS = [
  {
    title: 'An order, which a rule matches by its subject',
    mail: { from: 'eve@shop.example', to: 'orders@acme-shop.example', subject: 'parcel-7' },
  },
  {
    title: 'A mail for a team and a webhook, at an address with a label',
    mail: { from: 'eve@shop.example', to: 'support+spring@acme.example', subject: 'Broken' },
  },
  {
    title: 'A mail to an address without an alias',
    mail: { from: 'eve@shop.example', to: 'nobody@acme.example', subject: 'Hello' },
  },
] as const;

type DemoMail = (typeof MAILS)[number]['mail'];

/** Sends three mails to the demo's account by SMTP. Calls `explain` after each; false ends the story. */
export async function sendMails(
  { context, emulator }: Stage,
  narrator: Narrator,
  {
    mask,
    explain,
  }: {
    readonly mask: Disclosure['mask'];
    readonly explain: (mail: DemoMail) => Promise<boolean>;
  },
): Promise<boolean> {
  const service = await startMail(emulator, {
    smtpPort: 0,
    sleep: (milliseconds, signal) => context.clock.sleep(milliseconds, signal),
    randomId: () => randomUUID(),
  });
  const shop = emulator.store.state.domains.get(SHOP);
  // The dashboard can do this; the API cannot.
  if (shop !== undefined) shop.fields.routing_engine = 'rules';
  narrator.scene('And then, in the dashboard', [
    `${SHOP} was set to route by rules; acme.example routes by aliases.`,
  ]);
  try {
    for (const [index, { title, mail }] of MAILS.entries()) {
      const lines = await deliver(service, mail, mask);
      narrator.scene(`${index + 2}. ${title}`, lines);
      if (!(await explain(mail))) return false;
    }
    return true;
  } finally {
    await service.close();
  }
}

/** Returns the SMTP conversation and the mailboxes that then have the mail, for people. */
async function deliver(
  { smtp, queue, mailboxes }: MailService,
  mail: DemoMail,
  mask: Disclosure['mask'],
): Promise<readonly string[]> {
  const [host = '', port = ''] = (smtp ?? '').split(':');
  const { from: sender, to: recipient, subject } = mail;
  const raw = composeMail({ ...mail, body: 'Hi' });
  const server = { host, port: Number(port) };
  const { code, message } = await sendBySmtp(server, 'demo.invalid', { sender, recipient, raw });
  await queue.idle();
  const arrived = mailboxes.all();
  await mailboxes.remove(arrived.flatMap(([, mails]) => mails));
  const disclosure: Disclosure = { references: new Map(), mask };
  const show = (address: string): string => showDestinations([normaliseDestination(address)], disclosure);
  return [
    `  From     ${show(sender)}`,
    `  To       ${recipient}`,
    `  Subject  ${subject}`,
    `  Answer   ${code} ${message}`,
    ...arrived.map(([address, mails]) => {
      // Webhooks are not called here.
      const note = mails.some(({ type }) => type === 'json') ? '  (recorded, not called)' : '';
      return `  Arrived  ${show(address)}${note}`;
    }),
  ];
}
