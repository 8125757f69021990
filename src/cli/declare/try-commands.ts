import { Option } from 'commander';
import type { CommandGroup } from '../command.ts';
import {
  collect,
  example,
  plainOption,
  portNumber,
  addOptions,
  wholeNumber,
  manifestOptions,
  outputOptions,
} from './options.ts';

/** Commands that need no account. */
export const TRY_COMMANDS: CommandGroup = {
  test: (command, { run }) =>
    addOptions(command, manifestOptions, outputOptions(['text']))
      .description(
        'Send what each `expect` says through an emulator by SMTP; exits with 2 when a mail arrives elsewhere',
      )
      .addHelpText('after', example('fwdsync test -f fwdsync.yaml'))
      .action(run(async () => (await import('../commands/test/test-command.ts')).testCommand)),
  emulator: (command, { run }) =>
    command
      .description('Serve the whole API on loopback, to try things out without an account')
      .option('--port <port>', 'port to listen on; 0 takes a free one', portNumber, 8025)
      .option('--api-key <key>', 'the key that clients must send', 'emulator')
      .addOption(new Option('--plan <plan>', 'plan of the account').choices(['free', 'paid']).default('paid'))
      .addOption(
        plainOption(
          '--rate-limit <n>',
          'requests per window and endpoint',
          '200, on the free plan 30',
        ).argParser(wholeNumber),
      )
      .option('--window <seconds>', 'length of the window', wholeNumber, 60)
      .option('--from <manifest>', 'start with the account that this manifest describes')
      .addOption(plainOption('--account <email>', 'email of the account', 'that of the manifest'))
      .addOption(
        plainOption('--smtp-password <password>', 'password of every SMTP credential of --from', 'emulator'),
      )
      .option('--state <file>', 'load the account from this file and keep it there')
      .option('--accounts <file>', 'further accounts, each with its own key, as JSON')
      .option('--faults <file>', 'scripted faults, as JSON')
      .option('--control', 'serve /_emulator, which reads and changes the emulator, to loopback')
      .option('--smtp <port>', 'receive and forward mail on this port; 0 takes a free one', portNumber)
      .option('--submission <port>', 'let mail programs send with SMTP credentials on this port', portNumber)
      .addOption(
        plainOption('--relay <host:port>', 'send mail on to this server on loopback', 'keep it in mailboxes'),
      )
      .addOption(
        plainOption(
          '--webhook <origin>',
          'call webhooks of this origin on loopback; repeatable',
          'none',
        ).argParser(collect),
      )
      .addOption(
        plainOption(
          '--tls-cert <file>',
          'certificate of the mail servers, as PEM',
          'one that is made at start',
        ),
      )
      .addOption(
        plainOption('--tls-key <file>', 'key of that certificate, as PEM', 'one that is made with it'),
      )
      .addOption(plainOption('--srs-key <key>', 'key of rewritten envelope senders', 'a random one'))
      .addHelpText('after', example('fwdsync emulator --port 8025 --state account.json'))
      .action(run(async () => (await import('../commands/emulator/emulator-command.ts')).emulatorCommand)),
  demo: (command, { run, execute }) =>
    addOptions(command, outputOptions(['text']))
      .description(
        'Start an emulator with a drifted account and show validate, plan, apply and the empty plan after it',
      )
      .option('--mail', 'show where mail goes instead: apply, send three mails by SMTP, and explain each')
      .addHelpText('after', example('fwdsync demo'))
      .action(run(async () => (await import('../commands/demo/demo-command.ts')).demoCommand(execute))),
};
