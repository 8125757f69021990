import { forAccounts } from '../accounts/for-accounts.ts';
import {
  addCommand,
  example,
  positiveNumber,
  withAccounts,
  withConnection,
  withFiles,
  withFormat,
  withLogs,
  withOutput,
  withStore,
  type Declaration,
} from '../input/options.ts';
import { DOCUMENT_FORMATS } from '../output/formats.ts';

/** Commands that answer the questions of every week: who forwards there, change it everywhere, why no answer came. */
export function declareWho({ program, run }: Declaration): void {
  addCommand(program, 'who', withFiles, withAccounts, withConnection, withStore, withOutput())
    .description(
      'Show every alias, rule and setting whose mail ends at a destination, and where it is written',
    )
    .argument('<destination>', 'an address, a webhook, or *@DOMAIN')
    .option('--live', 'use the account instead of the manifest')
    .addHelpText('after', example('fwdsync who ben@corp.example'))
    .action(
      run(forAccounts(async () => (await import('../commands/who/who.ts')).whoCommand, DOCUMENT_FORMATS)),
    );
}

export function declareReplace({ program, run }: Declaration): void {
  addCommand(program, 'replace', withFiles, withAccounts, withFormat(), withLogs)
    .description(
      'Change a destination everywhere in the manifests, and nothing else in them; sends no requests',
    )
    .argument('[old]', 'the destination as it is')
    .argument('[new]', 'what replaces it: an address, a webhook or the name of a group')
    .option('--remove <old>', 'remove this destination instead, where it is not the only one')
    .option('--dry-run', 'print the changes, and write nothing')
    .addHelpText('after', example('fwdsync replace ben@corp.example eve@corp.example --dry-run'))
    .action(run(async () => (await import('../commands/replace/replace.ts')).replaceCommand));
}

export function declareWhy({ program, run }: Declaration): void {
  addCommand(program, 'why', withFiles, withAccounts, withConnection, withStore, withOutput())
    .description('Show why mail to an address did not arrive; sends nothing but GET')
    .argument('<address>', 'the recipient')
    .option('--since <duration>', 'how far back messages are searched for', '24h')
    .option('--limit-requests <n>', 'send at most this many requests; default: 60', positiveNumber)
    .addHelpText('after', example('fwdsync why sales@acme.example --since 2d'))
    .action(run(async () => (await import('../commands/why/why.ts')).whyCommand));
}
