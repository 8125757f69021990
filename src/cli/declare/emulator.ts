import { Option } from 'commander';
import {
  addCommand,
  collect,
  example,
  portNumber,
  wholeNumber,
  withManifest,
  withOutput,
  type Declaration,
} from '../input/options.ts';

export function declareTest({ program, run }: Declaration): void {
  addCommand(program, 'test', withManifest, withOutput(['text']))
    .description(
      'Send what each `expect` says through an emulator by SMTP; exits with 2 when a mail arrives elsewhere',
    )
    .addHelpText('after', example('fwdsync test -f fwdsync.yaml'))
    .action(run(async () => (await import('../commands/test/expectations.ts')).testCommand));
}

export function declareEmulator({ program, run }: Declaration): void {
  addCommand(program, 'emulator')
    .description('Serve the whole API on loopback, to try things out without an account')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portNumber, 8025)
    .option('--api-key <key>', 'the key that clients must send', 'emulator')
    .addOption(new Option('--plan <plan>', 'plan of the account').choices(['free', 'paid']).default('paid'))
    .option(
      '--rate-limit <n>',
      'requests per window and endpoint; default: 200, on the free plan 30',
      wholeNumber,
    )
    .option('--window <seconds>', 'length of the window', wholeNumber, 60)
    .option('--from <manifest>', 'start with an account as this manifest wants it')
    .option('--account <email>', 'email of the account; default: that of the manifest')
    .option('--smtp-password <password>', 'password of every SMTP credential of --from; default: emulator')
    .option('--state <file>', 'load the account from this file and keep it there')
    .option('--accounts <file>', 'further accounts, each with its own key, as JSON')
    .option('--faults <file>', 'scripted faults, as JSON')
    .option('--control', 'serve /_emulator, which reads and changes the emulator, to loopback')
    .option('--smtp <port>', 'receive and forward mail on this port; 0 takes a free one', portNumber)
    .option('--submission <port>', 'let mail programs send with SMTP credentials on this port', portNumber)
    .option('--relay <host:port>', 'send mail on to this server on loopback; default: keep it in mailboxes')
    .option(
      '--webhook <origin>',
      'call webhooks of this origin on loopback; repeatable; default: none',
      collect,
    )
    .option(
      '--tls-cert <file>',
      'certificate of the mail servers, as PEM; default: one that is made at start',
    )
    .option('--tls-key <file>', 'key of that certificate, as PEM; default: one that is made with it')
    .option('--srs-key <key>', 'key of rewritten envelope senders; default: a random one')
    .addHelpText('after', example('fwdsync emulator --port 8025 --state account.json'))
    .action(run(async () => (await import('../commands/emulator/emulator.ts')).emulatorCommand));
}

export function declareDemo({ program, run, execute }: Declaration): void {
  addCommand(program, 'demo', withOutput(['text']))
    .description(
      'Start an emulator with a drifted account and show validate, plan, apply and the empty plan after it',
    )
    .option('--mail', 'show where mail goes instead: apply, send three mails by SMTP, and explain each')
    .addHelpText('after', example('fwdsync demo'))
    .action(run(async () => (await import('../commands/demo/demo.ts')).demoCommand(execute)));
}
