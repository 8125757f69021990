import type { Command } from 'commander';
import { collect, example, withConnection, withOutput, type Run } from './options.ts';

/** The commands that look at the account without changing what the manifest is about. */
export function addAccountCommands(program: Command, run: Run): void {
  withOutput(withConnection(program.command('export')))
    .description('Write a manifest of the live account, whose plan is empty')
    .option('--domain <name>', 'only this domain (repeatable)', collect)
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--out-dir <dir>', 'write one file a domain into this directory')
    .addHelpText('after', example('fwdsync export --out fwdsync.yaml'))
    .action(run(async () => (await import('./export.ts')).exportCommand));

  withOutput(withConnection(program.command('account')))
    .description("Show the account and its plan's limits; the quickest way to see whether the key works")
    .addHelpText('after', example('fwdsync account'))
    .action(run(async () => (await import('./account.ts')).accountCommand));

  withOutput(withConnection(program.command('verify')))
    .description('Have the service check domains, and print the DNS records that are missing as a zone file')
    .argument('[domain...]', 'domains; default: all of the account')
    .addHelpText('after', example('fwdsync verify acme.example'))
    .action(run(async () => (await import('./verify.ts')).verifyCommand));
}
