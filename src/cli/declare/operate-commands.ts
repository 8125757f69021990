import { Argument, Option } from 'commander';
import type { CommandGroup } from '../command.ts';
import { NOTIFY_FORMATS } from '../../service/notify/notify-bodies.ts';
import { VARIABLES } from '../settings/flags.ts';
import {
  example,
  plainOption,
  PLANNING_OPTIONS,
  positiveNumber,
  setting,
  addOptions,
  accountsOption,
  addressOption,
  fileOptions,
  formatOption,
  historyOption,
  logOptions,
  outputOptions,
  storeOptions,
} from './options.ts';

/** Commands of those who operate a service. */
export const OPERATE_COMMANDS: CommandGroup = {
  run: (command, { run }) =>
    addOptions(command, ...PLANNING_OPTIONS, historyOption, outputOptions())
      .description('Keep accounts in sync until stopped; with only --store, work on the published manifests')
      .option('--interval <duration>', 'time between checks of the whole account', '5m')
      .addOption(
        setting(
          '--drift-url <url>',
          'base URL of v3, to find changed aliases and settings without reading every domain',
          VARIABLES.driftUrl,
        ),
      )
      .option('--full-interval <duration>', 'with --drift-url: how often each domain is read in full', '1h')
      .addOption(
        new Option('--mode <mode>', 'apply changes, or only report them')
          .choices(['apply', 'observe'])
          .default('apply'),
      )
      .option('--delivery', 'follow the email logs, and notify where mail keeps failing')
      .option('--listen <address>', 'where the page, status, health and metrics are served', '127.0.0.1:9477')
      .option('--base-path <path>', 'path below which a reverse proxy serves the page')
      .addOption(
        new Option('--notify-format <format>', 'format of notifications: for a webhook or a mail server')
          .choices(NOTIFY_FORMATS)
          .default('json'),
      )
      .option('--notify-every <duration>', 'gather notifications that can wait into one mail')
      .option('--notify-test', 'send one test notification, then end')
      .option('--page-url <url>', 'where people open the page, for links in notifications')
      .option('--concurrency <n>', 'maximum number of parallel runs of a worker', positiveNumber, 50)
      .option(
        '--job-expiry <duration>',
        "time without a heartbeat after which others take over a worker's accounts; the same on all workers",
        '60s',
      )
      .option(
        '--once',
        'one run, then end as apply --yes does; with --mode observe: 2 when something differs',
      )
      .addHelpText('after', example('fwdsync run -f /etc/fwdsync --interval 10m'))
      .action(run(async () => (await import('../commands/run/run-command.ts')).runCommand)),
  publish: (command, { run }) =>
    addOptions(command, fileOptions, accountsOption, storeOptions, outputOptions(), addressOption)
      .description('Store manifests as new revisions of their accounts, all or none; sends no requests')
      .addOption(plainOption('--account <email>', 'whose manifest it is', 'its api.account'))
      .option(
        '--rollback <revision>',
        'with --account: store this earlier revision as a new one',
        positiveNumber,
      )
      .option('--remove <email>', 'remove the published manifest of this account; deletes nothing else')
      .addHelpText(
        'after',
        example('fwdsync publish --accounts accounts/ --store postgres://ops@127.0.0.1/fwdsync'),
      )
      .action(run(async () => (await import('../commands/publish/publish-command.ts')).publishCommand)),
  status: (command, { run }) =>
    addOptions(command, storeOptions, formatOption(), logOptions)
      .description('Show the state of all accounts in a store, its workers and its queue; sends no requests')
      .addHelpText('after', example('fwdsync status --store postgres://ops@127.0.0.1/fwdsync'))
      .action(run(async () => (await import('../commands/status/status-command.ts')).statusCommand)),
  state: (command, { run }) =>
    addOptions(command, storeOptions, logOptions)
      .description('Copy a state directory into a store; the directory stays as it is')
      .addArgument(new Argument('<action>', 'what to do').choices(['import']))
      .argument('<dir>', 'the state directory')
      .addHelpText(
        'after',
        example('fwdsync state import ~/.local/state/fwdsync --store postgres://ops@127.0.0.1/fwdsync'),
      )
      .action(run(async () => (await import('../commands/state/state-import.ts')).stateCommand)),
};
