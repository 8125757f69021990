import { Argument } from 'commander';
import type { Declaration } from '../command.ts';
import {
  addCommand,
  example,
  optional,
  positiveNumber,
  withAccounts,
  withAddress,
  withFiles,
  withLogs,
  withFormat,
  withOutput,
  withStore,
} from './options.ts';

/** Commands that are about a store. */
export function declarePublish({ program, run }: Declaration): void {
  addCommand(program, 'publish', withFiles, withAccounts, withStore, withOutput(), withAddress)
    .description('Store manifests as new revisions of their accounts, all or none; sends no requests')
    .addOption(optional('--account <email>', 'whose manifest it is', 'its api.account'))
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
    .action(run(async () => (await import('../commands/publish/publish-command.ts')).publishCommand));
}

export function declareStatus({ program, run }: Declaration): void {
  addCommand(program, 'status', withStore, withFormat(), withLogs)
    .description('Show how the accounts of a store are, which workers run, and what waits; sends no requests')
    .addHelpText('after', example('fwdsync status --store postgres://ops@127.0.0.1/fwdsync'))
    .action(run(async () => (await import('../commands/status/status-command.ts')).statusCommand));
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
