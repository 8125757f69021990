import type { Command } from 'commander';
import { forAccounts } from './accounts/for-accounts.ts';
import { DOCUMENT_FORMATS } from './output/formats.ts';
import {
  withAccounts,
  collect,
  example,
  withConnection,
  withFiles,
  withFormat,
  withLogs,
  withManifest,
  withMask,
  withOutput,
  withState,
  type CommandAction,
  type CommandRunner,
} from './input/options.ts';
import { withLogQuery } from './commands/logs/logs-options.ts';
import type { CommonOptions } from './settings.ts';

/** The commands that read the account without changing what the manifest is about. */
export function addAccountCommands(program: Command, run: CommandRunner): void {
  addExport(program, run);
  withLogs(withFormat(withConnection(withAccounts(program.command('account')))))
    .description("Show the account and its plan's limits; the quickest way to see whether the key works")
    .addHelpText('after', example('fwdsync account'))
    .action(
      run(() =>
        forAccounts(async () => (await import('./commands/account.ts')).accountCommand, DOCUMENT_FORMATS),
      ),
    );

  withLogs(withFormat(withConnection(withAccounts(program.command('verify')))))
    .description(
      'Ask the service to check domains, and print the DNS records that are missing as a zone file',
    )
    .argument('[domain...]', 'domains; default: all domains of the account')
    .addHelpText('after', example('fwdsync verify acme.example'))
    .action(run(loadVerify));

  withOutput(withState(withConnection(withManifest(program.command('route')))))
    .description(
      'Show where a mail would go, and which alias or rule matches it; exits with 0 even when it is refused',
    )
    .argument('<address>', 'recipient')
    .option('--from <address>', 'sender', '')
    .option('--subject <text>', 'subject', '')
    .option('--body <text>', 'body', '')
    .option('--live', 'use the account instead of the manifest')
    .addHelpText('after', example('fwdsync route sales@acme.example --subject "invoice 7"'))
    .action(run(async () => (await import('./commands/route.ts')).routeCommand));
  addLogs(program, run);
}

function addLogs(program: Command, run: CommandRunner): void {
  withOutput(withState(withConnection(withFiles(program.command('logs')))))
    .description('List, follow, search or count the email logs of a domain')
    .argument('<domain>', 'domain')
    .addHelpText('after', example('fwdsync logs acme.example --status BOUNCED,REFUSED --after 2026-09-01'))
    .action(run(async () => (await import('./commands/logs.ts')).logsCommand));
}

async function loadVerify(): Promise<CommandAction<CommonOptions>> {
  const { verifyCommand } = await import('./commands/verify.ts');
  const verify = await forAccounts(async () => verifyCommand, DOCUMENT_FORMATS);
  return (context, options, args) =>
    verify(context, args.length === 0 ? options : { ...options, domain: args }, args);
}

/** Its files are written by each account: there is no document of all. */
async function loadExport(): Promise<CommandAction<CommonOptions>> {
  const { exportCommand } = await import('./commands/export.ts');
  return exportCommand;
}

function addExport(program: Command, run: CommandRunner): void {
  withLogs(withMask(withConnection(withState(withAccounts(program.command('export'))))))
    .description('Write a manifest of the live account, whose plan is empty')
    .option('--domain <domain>', 'only this domain (repeatable)', collect)
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--out-dir <dir>', 'write account.yaml and one file per domain into this directory')
    .option(
      '--update <file>',
      'write the differences of the account into this manifest, and change nothing else',
    )
    .option('--force', 'replace files that exist')
    .option('--prune', 'write `prune: true`: what the manifest does not name will be deleted')
    .addHelpText('after', example('fwdsync export --out fwdsync.yaml'))
    .action(run(() => forAccounts(loadExport, DOCUMENT_FORMATS)));
}
