import { acceptAccounts } from '../accounts/accept-accounts.ts';
import type { CommandGroup } from '../command.ts';
import { deliveryOptions } from '../commands/delivery/delivery-options.ts';
import { logQueryOptions } from '../commands/logs/logs-options.ts';
import {
  collect,
  example,
  plainOption,
  addOptions,
  accountOption,
  accountsOption,
  connectionOptions,
  fileOptions,
  formatOption,
  logOptions,
  manifestOptions,
  outputOptions,
  positiveNumber,
  sourceOptions,
  wholeNumber,
  storeOptions,
} from './options.ts';
import { VERIFY_FORMATS } from '../output/formats.ts';

/** Commands that look at an account. */
export const LOOK_COMMANDS: CommandGroup = {
  account: (command, { run }) =>
    addOptions(command, accountsOption, connectionOptions, formatOption(), logOptions)
      .description("Show the account and its plan's limits; the quickest way to see whether the key works")
      .addHelpText('after', example('fwdsync account'))
      .action(
        run(acceptAccounts(async () => (await import('../commands/account-command.ts')).accountCommand)),
      ),
  verify: (command, { run }) =>
    addOptions(command, accountsOption, connectionOptions, formatOption(VERIFY_FORMATS), logOptions)
      .description('Ask the service to check domains, and print the DNS records that are missing')
      .argument('[domain...]', 'domains; default: all domains of the account')
      .addHelpText('after', example('fwdsync verify acme.example'))
      .action(
        run(
          acceptAccounts(async () => (await import('../commands/verify-command.ts')).verifyCommand, 'verify'),
        ),
      ),
  route: (command, { run }) =>
    addOptions(command, manifestOptions, connectionOptions, storeOptions, outputOptions())
      .description(
        'Show where a mail would go, and which alias or rule matches it; exits with 0 even when it is refused',
      )
      .argument('<address>', 'recipient')
      .addOption(plainOption('--from <address>', 'sender', 'none'))
      .addOption(plainOption('--subject <text>', 'subject', 'empty'))
      .addOption(plainOption('--body <text>', 'body', 'empty'))
      .option('--live', 'use the account instead of the manifest')
      .addHelpText('after', example('fwdsync route sales@acme.example --subject "invoice 7"'))
      .action(run(async () => (await import('../commands/route/route-command.ts')).routeCommand)),
  who: (command, { run }) =>
    addOptions(command, fileOptions, accountsOption, connectionOptions, storeOptions, outputOptions())
      .description('Show every alias, rule and setting whose mail ends at a destination, with its line')
      .argument('<destination>', 'an address, a webhook, or *@DOMAIN')
      .option('--live', 'use the account instead of the manifest')
      .addHelpText('after', example('fwdsync who ben@corp.example'))
      .action(run(acceptAccounts(async () => (await import('../commands/who/who-command.ts')).whoCommand))),
  why: (command, { run }) =>
    addOptions(command, fileOptions, accountsOption, connectionOptions, storeOptions, outputOptions())
      .description('Show why mail to an address did not arrive; sends nothing but GET')
      .argument('<address>', 'the recipient')
      .option('--since <duration>', 'how far back to search for messages', '24h')
      .addOption(
        plainOption('--limit-requests <n>', 'send at most this many requests', '60').argParser(
          positiveNumber,
        ),
      )
      .addHelpText('after', example('fwdsync why sales@acme.example --since 2d'))
      .action(run(async () => (await import('../commands/why/why-command.ts')).whyCommand)),
  move: (command, { run }) =>
    addOptions(
      command,
      fileOptions,
      accountsOption,
      connectionOptions,
      storeOptions,
      outputOptions(),
      sourceOptions,
    )
      .description(
        'Show the next step to move a domain to the service without losing mail; changes nothing; exits with 2 until all steps are done',
      )
      .argument('<domain>', 'a domain that receives its mail elsewhere today')
      .addOption(
        plainOption('--from <format:file>', 'the forwards of the old system (repeatable)', 'none').argParser(
          collect,
        ),
      )
      .addOption(
        plainOption(
          '--resolver <address>',
          'the DNS resolver to ask, ADDRESS or ADDRESS:PORT',
          "the system's",
        ),
      )
      .addOption(
        plainOption(
          '--former-ttl <seconds>',
          'the TTL of the MX records before it was lowered, if no call of move saw it',
          '86400',
        ).argParser(wholeNumber),
      )
      .addHelpText('after', example('fwdsync move acme.example --from postfix:/etc/postfix/virtual'))
      .action(run(async () => (await import('../commands/move/move-command.ts')).moveCommand)),
  logs: (command, { run }) =>
    addOptions(command, fileOptions, connectionOptions, storeOptions, outputOptions(), logQueryOptions)
      .description('List, follow, search or count the email logs of a domain')
      .argument('<domain>', 'domain')
      .addHelpText('after', example('fwdsync logs acme.example --status BOUNCED,REFUSED --after 2026-09-01'))
      .action(run(async () => (await import('../commands/logs/logs-command.ts')).logsCommand)),
  delivery: (command, { run }) =>
    addOptions(command, fileOptions, connectionOptions, storeOptions, outputOptions(), deliveryOptions)
      .description(
        'Show who did not get mail, and why, by alias and destination; exits with 2 when mail keeps failing',
      )
      .argument('[domain...]', 'domains that the manifest names; default: all of them')
      .addHelpText('after', example('fwdsync delivery acme.example --since 24h --fail-on refused,hard'))
      .action(run(async () => (await import('../commands/delivery/delivery-command.ts')).deliveryCommand)),
  history: (command, { run }) =>
    addOptions(command, accountsOption, storeOptions, accountOption, outputOptions())
      .description(
        'List the runs that wrote, and changes made outside fwdsync; with a run, show its diff; offline',
      )
      .argument('[run]', 'the id of a run')
      .addOption(plainOption('--since <duration>', 'only entries of this period, such as 2d', 'all'))
      .option('--domain <domain>', 'only this domain (repeatable)', collect)
      .addHelpText('after', example('fwdsync history --since 2d --domain acme.example'))
      .action(
        run(
          acceptAccounts(async () => (await import('../commands/history/history-command.ts')).historyCommand),
        ),
      ),
  blame: (command, { run }) =>
    addOptions(command, storeOptions, accountOption, outputOptions())
      .description('Show which run, commit and person last changed an alias or rule; offline')
      .argument('<address>', 'an address, RULE@DOMAIN, or a domain for its settings')
      .addHelpText('after', example('fwdsync blame sales@acme.example'))
      .action(run(async () => (await import('../commands/history/blame-command.ts')).blameCommand)),
};
