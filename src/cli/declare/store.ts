import { Argument } from 'commander';
import {
  addCommand,
  example,
  positiveNumber,
  withAccounts,
  withFiles,
  withLogs,
  withFormat,
  withOutput,
  withStore,
  type Declaration,
} from '../input/options.ts';

/** Commands that are about a store. */
export function declarePublish({ program, run }: Declaration): void {
  addCommand(program, 'publish', withFiles, withAccounts, withStore, withOutput())
    .description('Store manifests as new revisions of their accounts, all or none; sends no requests')
    .option('--api-url <url>', 'base URL of the API; default: https://api.improvmx.com/v4 [FWDSYNC_API_URL]')
    .option('--account <email>', 'whose manifest it is; default: its api.account')
    .option(
      '--rollback <revision>',
      'with --account: store this earlier revision as a new one',
      positiveNumber,
    )
    .option('--remove <email>', 'end what is published for this account; nothing is deleted')
    .addHelpText(
      'after',
      example('fwdsync publish --accounts accounts/ --store postgres://ops@127.0.0.1/fwdsync'),
    )
    .action(run(async () => (await import('../commands/publish/publish.ts')).publishCommand));
}

export function declareStatus({ program, run }: Declaration): void {
  addCommand(program, 'status', withStore, withFormat(), withLogs)
    .description('Show how the accounts of a store are, which workers run, and what waits; sends no requests')
    .addHelpText('after', example('fwdsync status --store postgres://ops@127.0.0.1/fwdsync'))
    .action(run(async () => (await import('../commands/status/status.ts')).statusCommand));
}

export function declareState({ program, run }: Declaration): void {
  addCommand(program, 'state', withStore, withLogs)
    .description('Copy a state directory into a store; the directory stays as it is')
    .addArgument(new Argument('<action>', 'what to do').choices(['import']))
    .argument('<dir>', 'the state directory')
    .addHelpText(
      'after',
      example('fwdsync state import ~/.local/state/fwdsync --store postgres://ops@127.0.0.1/fwdsync'),
    )
    .action(run(async () => (await import('../commands/state/state-import.ts')).stateCommand));
}
