import { Option } from 'commander';
import { acceptAccounts } from '../accounts/accept-accounts.ts';
import type { CommandGroup } from '../command.ts';
import { PLAN_FORMATS, VALIDATE_FORMATS } from '../output/formats.ts';
import { VARIABLES } from '../settings/flags.ts';
import {
  collect,
  example,
  plainOption,
  PLANNING_OPTIONS,
  positiveNumber,
  setting,
  addOptions,
  wholeNumber,
  accountsOption,
  allowanceOptions,
  connectionOptions,
  fileOptions,
  formatOption,
  historyOption,
  logOptions,
  manifestOptions,
  maskOption,
  outputOptions,
  sourceOptions,
  stateOption,
  storeOptions,
} from './options.ts';

/** Commands that change an account, or show what would be changed. */
export const CHANGE_COMMANDS: CommandGroup = {
  validate: (command, { run }) =>
    addOptions(command, manifestOptions, accountsOption, stateOption, outputOptions(VALIDATE_FORMATS))
      .description('Check manifests, offline and without a key')
      .option('--staged', 'read the manifests from the git index: what is about to be committed')
      .option('--against <rev>', 'also report what the change since this git revision would delete')
      .addHelpText('after', example('fwdsync validate -f fwdsync.yaml'))
      .action(
        run(acceptAccounts(async () => (await import('../commands/validate-command.ts')).validateCommand)),
      ),
  plan: (command, { run }) =>
    addOptions(command, ...PLANNING_OPTIONS, outputOptions(PLAN_FORMATS), allowanceOptions)
      .description('Show what apply would do; sends nothing but GET')
      .option('--detailed-exitcode', 'exit with 2 when there are changes')
      .option('--summary', 'show totals, guards and problems, but not the changes')
      .option('--all-routes', 'list all mail that changes, not just the first 20 addresses of a domain')
      .option('--against <rev>', 'only domains that changed since this git revision')
      .option('--out <file>', 'save the plan, for a review and a later apply')
      .option(
        '--replay <duration>',
        'count the mail in the email logs of this period, such as 7d, that the plan changes',
      )
      .addOption(
        plainOption(
          '--limit-requests <n>',
          'with --replay: read the logs with at most this many requests',
          '300',
        ).argParser(positiveNumber),
      )
      .option('--quick', 'skip domains that are unchanged since the last apply')
      .addOption(
        setting(
          '--drift-url <url>',
          'base URL of v3, to check skipped domains for changed aliases and settings',
          VARIABLES.driftUrl,
        ),
      )
      .addHelpText('after', example('fwdsync plan -f fwdsync.yaml --detailed-exitcode'))
      .action(run(acceptAccounts(async () => (await import('../commands/plan-command.ts')).planCommand))),
  show: (command, { run }) =>
    addOptions(command, accountsOption, outputOptions(PLAN_FORMATS))
      .description('Print a saved plan in any format, offline')
      .argument('<plan>', 'a saved plan')
      .addHelpText('after', example('fwdsync show plan.json'))
      .action(
        run(acceptAccounts(async () => (await import('../commands/show-command.ts')).showCommand, 'show')),
      ),
  apply: (command, { run }) =>
    addOptions(command, ...PLANNING_OPTIONS, historyOption, outputOptions(), allowanceOptions)
      .description('Make a plan, ask, apply it and verify; a saved plan only if it is still the same')
      .argument('[plan]', 'a saved plan')
      .option('--against <rev>', 'only domains that changed since this git revision')
      .option('--yes', 'do not ask; requires an account (--account or api.account)')
      .addOption(
        plainOption(
          '--max-failures <n>',
          'stop after this many failed items',
          '25, or 5 % if that is more',
        ).argParser(wholeNumber),
      )
      .addHelpText('after', example('fwdsync apply -f fwdsync.yaml --yes --account ops@acme.example'))
      .action(
        run(
          acceptAccounts(
            async () => (await import('../commands/apply/apply-command.ts')).applyCommand,
            'apply',
          ),
        ),
      ),
  undo: (command, { run }) =>
    addOptions(command, accountsOption, connectionOptions, storeOptions, historyOption, outputOptions())
      .description('Show the plan that reverses a run, ask, apply it and verify; changes made since stay')
      .argument('[run]', 'a run of fwdsync history; default: the last that wrote')
      .option('--yes', 'do not ask; requires RUN')
      .option('--allow-domain-delete <domain>', 'a domain that may be deleted (repeatable)', collect)
      .option('--allow-unrouted <address>', 'an address that may lose its delivery (repeatable)', collect)
      .addHelpText('after', example('fwdsync undo --yes 5k2m9q1x'))
      .action(
        run(acceptAccounts(async () => (await import('../commands/undo/undo-command.ts')).undoCommand)),
      ),
  export: (command, { run }) =>
    addOptions(command, accountsOption, storeOptions, connectionOptions, maskOption, logOptions)
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
      .option('--groups', 'write a group for destinations that three or more entries share')
      .addHelpText('after', example('fwdsync export --out fwdsync.yaml'))
      .action(
        run(acceptAccounts(async () => (await import('../commands/export/export-command.ts')).exportCommand)),
      ),
  init: (command, { run }) =>
    addOptions(command, storeOptions, connectionOptions, logOptions)
      .description(
        'Write the first manifest of an account, fwdsync.yaml, and a .gitignore; asks for the account and its key',
      )
      .addHelpText('after', example('fwdsync init'))
      .action(run(async () => (await import('../commands/init/init-command.ts')).initCommand)),
  import: (command, { run }) =>
    addOptions(command, formatOption(), logOptions, sourceOptions)
      .usage('[options] <format:file...>')
      .description(
        'Write a manifest of the forwards of another system, offline; exits with 3 when something is left out',
      )
      .argument(
        '<format:file...>',
        'FORMAT is postfix, postfix-regexp, aliases, exim, table, cloudflare or forward-email; FILE may be -',
      )
      .addOption(
        plainOption('--for <domain>', 'a domain for names without one (repeatable)', 'none').argParser(
          collect,
        ),
      )
      .option('--domain <domain>', 'only this domain (repeatable)', collect)
      .option('--out <file>', 'write to this file instead of standard output')
      .option('--out-dir <dir>', 'write one file per domain into this directory')
      .option('--force', 'replace files that exist')
      .addOption(
        new Option('--engine <engine>', 'write aliases, or rules, which have an order')
          .choices(['aliases', 'rules'])
          .default('aliases'),
      )
      .option('--groups', 'write a group for destinations that three or more entries share')
      .addHelpText('after', example('fwdsync import postfix:/etc/postfix/virtual --out fwdsync.yaml'))
      .action(run(async () => (await import('../commands/import/import-command.ts')).importCommand)),
  replace: (command, { run }) =>
    addOptions(command, fileOptions, accountsOption, formatOption(), logOptions)
      .description(
        'Change a destination everywhere in the manifests, and nothing else in them; sends no requests',
      )
      .argument('[old]', 'the destination to replace')
      .argument('[new]', 'the new destination: an address, a webhook or the name of a group')
      .option('--remove <old>', 'instead, remove this destination from all lists that have others')
      .option('--dry-run', 'print the changes, and write nothing')
      .addHelpText('after', example('fwdsync replace ben@corp.example eve@corp.example --dry-run'))
      .action(run(async () => (await import('../commands/replace/replace-command.ts')).replaceCommand)),
};
