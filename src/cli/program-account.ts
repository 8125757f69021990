import type { Command } from 'commander';
import { collect, example, withConnection, withManifest, withOutput, type Run } from './options.ts';

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

  withOutput(withConnection(withManifest(program.command('route'))))
    .description(
      'Say where a mail would go, and which alias or rule takes it; exits with 0 also when it is refused',
    )
    .argument('<address>', 'recipient')
    .option('--from <address>', 'sender', '')
    .option('--subject <text>', 'subject', '')
    .option('--body <text>', 'body', '')
    .option('--live', 'ask the account in place of the manifest')
    .addHelpText('after', example('fwdsync route sales@acme.example --subject "invoice 7"'))
    .action(run(async () => (await import('./route.ts')).routeCommand));
}
