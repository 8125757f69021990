import { Argument } from 'commander';
import { addCommand, example, withLogs, withStore, type Declaration } from './input/options.ts';

/** Commands that are about a store. */
export function declareState({ program, run }: Declaration): void {
  addCommand(program, 'state', withStore, withLogs)
    .description('Copy a state directory into a store; the directory stays as it is')
    .addArgument(new Argument('<action>', 'what to do').choices(['import']))
    .argument('<dir>', 'the state directory')
    .addHelpText(
      'after',
      example('fwdsync state import ~/.local/state/fwdsync --store postgres://ops@127.0.0.1/fwdsync'),
    )
    .action(run(async () => (await import('./commands/state/state-import.ts')).stateCommand));
}
