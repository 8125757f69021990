import { Option } from 'commander';
import { addCommand, collect, example, withFormat, withLogs, type Declaration } from '../input/options.ts';

export function declareImport({ program, run }: Declaration): void {
  addCommand(program, 'import', withFormat(), withLogs)
    .usage('[options] <format:file...>')
    .description(
      'Write a manifest of the forwards of another system, offline; exits with 3 when something is left out',
    )
    .argument(
      '<format:file...>',
      'FORMAT is postfix, postfix-regexp, aliases, exim, table, cloudflare or forward-email; FILE may be -',
    )
    .option('--for <domain>', 'a domain of the names that have none (repeatable); default: none', collect)
    .option('--domain <domain>', 'only this domain (repeatable)', collect)
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--out-dir <dir>', 'write one file per domain into this directory')
    .option('--force', 'replace files that exist')
    .addOption(
      new Option(
        '--engine <engine>',
        'what the manifest has: aliases, or rules, which keep an order; default: aliases',
      ).choices(['aliases', 'rules']),
    )
    .option('--groups', 'name sets of destinations that three or more aliases share')
    .option('--delimiter <sign>', 'what begins a label in the old system, as + in sales+eu; default: +')
    .option('--address <column>', 'of a table: the column of the addresses; default: that of a known shape')
    .option(
      '--destination <column>',
      'of a table: the column of the destinations; default: that of a known shape',
    )
    .addHelpText('after', example('fwdsync import postfix:/etc/postfix/virtual --out fwdsync.yaml'))
    .action(run(async () => (await import('../commands/import/import.ts')).importCommand));
}
