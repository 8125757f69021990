import { Argument } from 'commander';
import { declareDemo, declareEmulator, declareTest } from './declare-emulator.ts';
import { declareRun } from './declare-run.ts';
import { forAccounts } from '../accounts/for-accounts.ts';
import type { Declaration } from '../command.ts';
import { withDeliveryOptions } from '../commands/delivery/delivery-options.ts';
import { withLogQuery } from '../commands/logs/logs-options.ts';
import {
  addCommand,
  collect,
  example,
  optional,
  PLANNING_OPTIONS,
  setting,
  wholeNumber,
  withAccount,
  withAccounts,
  withAllowances,
  withConnection,
  withFiles,
  withFormat,
  withHistory,
  withLogs,
  withManifest,
  withMask,
  withOutput,
  withState,
  withStore,
} from './options.ts';
import { VARIABLES } from '../settings/flags.ts';
import { declarePublish, declareState, declareStatus } from './declare-store.ts';
import { PLAN_FORMATS, VALIDATE_FORMATS } from '../output/formats.ts';

/** Declares the command with which a line begins, and no other; if it begins with none, all, for help and suggestions. */
export function declareCommands(declaration: Declaration, [first = '']: readonly string[]): void {
  const [declare] = Object.values(COMMANDS).flatMap((group) =>
    Object.hasOwn(group, first) ? group[first] : [],
  );
  if (declare !== undefined && declare !== declareCompletion) return declare(declaration);
  for (const [heading, group] of Object.entries(COMMANDS)) {
    declaration.program.commandsGroup(heading);
    for (const declareOne of Object.values(group)) declareOne(declaration);
  }
}

/** Commands in the order of the help, under its headings. `completion` completes the lines of all others. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, (declaration: Declaration) => void>>>> = {
  'Change an account:': {
    validate: declareValidate,
    plan: declarePlan,
    show: declareShow,
    apply: declareApply,
    undo: declareUndo,
    export: declareExport,
  },
  'Look at an account:': {
    account: declareAccount,
    verify: declareVerify,
    route: declareRoute,
    logs: declareLogs,
    delivery: declareDelivery,
    history: declareHistory,
    blame: declareBlame,
  },
  'Operate:': {
    run: declareRun,
    publish: declarePublish,
    status: declareStatus,
    state: declareState,
  },
  'Try it out:': {
    test: declareTest,
    emulator: declareEmulator,
    demo: declareDemo,
  },
  'Other:': {
    completion: declareCompletion,
  },
};

function declareValidate({ program, run }: Declaration): void {
  addCommand(program, 'validate', withManifest, withAccounts, withState, withOutput(VALIDATE_FORMATS))
    .description('Check manifests, offline and without a key')
    .option('--staged', 'read the manifests from the git index: what is about to be committed')
    .option('--against <rev>', 'also report what the change since this git revision would delete')
    .addHelpText('after', example('fwdsync validate -f fwdsync.yaml'))
    .action(run(forAccounts(async () => (await import('../commands/validate-command.ts')).validateCommand)));
}

function declarePlan({ program, run }: Declaration): void {
  addCommand(program, 'plan', ...PLANNING_OPTIONS, withOutput(PLAN_FORMATS), withAllowances)
    .description('Show what apply would do; sends nothing but GET')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option('--summary', 'show totals, guards and problems, but not the changes')
    .option('--all-routes', 'list all mail that changes, not just the first 20 addresses of a domain')
    .option('--against <rev>', 'only domains that the change since this git revision concerns')
    .option('--out <file>', 'save the plan, to be reviewed and then applied')
    .option('--quick', 'skip domains that are unchanged since the last apply')
    .addOption(
      setting(
        '--drift-url <url>',
        'base URL of v3, to check skipped domains for changed aliases and settings',
        VARIABLES.driftUrl,
      ),
    )
    .addHelpText('after', example('fwdsync plan -f fwdsync.yaml --detailed-exitcode'))
    .action(run(forAccounts(async () => (await import('../commands/plan-command.ts')).planCommand)));
}

function declareShow({ program, run }: Declaration): void {
  addCommand(program, 'show', withAccounts, withOutput(PLAN_FORMATS))
    .description('Print a saved plan in any format, offline')
    .argument('<plan>', 'a saved plan')
    .addHelpText('after', example('fwdsync show plan.json'))
    .action(run(forAccounts(async () => (await import('../commands/show-command.ts')).showCommand, 'show')));
}

function declareApply({ program, run }: Declaration): void {
  addCommand(program, 'apply', ...PLANNING_OPTIONS, withHistory, withOutput(), withAllowances)
    .description('Make a plan, ask, apply it and verify; with a saved plan: if it is still the same')
    .argument('[plan]', 'a saved plan')
    .option('--against <rev>', 'only domains that the change since this git revision concerns')
    .option('--yes', 'do not ask; requires an account (--account or api.account)')
    .addOption(
      optional(
        '--max-failures <n>',
        'stop after this many failed items',
        '25, or 5 % if that is more',
      ).argParser(wholeNumber),
    )
    .addHelpText('after', example('fwdsync apply -f fwdsync.yaml --yes --account ops@acme.example'))
    .action(
      run(
        forAccounts(async () => (await import('../commands/apply/apply-command.ts')).applyCommand, 'apply'),
      ),
    );
}

function declareUndo({ program, run }: Declaration): void {
  addCommand(program, 'undo', withAccounts, withConnection, withStore, withHistory, withOutput())
    .description('Show the plan that reverses a run, ask, apply it and verify; changes made since stay')
    .argument('[run]', 'a run of fwdsync history; default: the last that wrote')
    .option('--yes', 'do not ask; requires RUN')
    .option('--allow-domain-delete <domain>', 'a domain that may be deleted (repeatable)', collect)
    .option('--allow-unrouted <address>', 'an address that may lose its delivery (repeatable)', collect)
    .addHelpText('after', example('fwdsync undo --yes 5k2m9q1x'))
    .action(run(forAccounts(async () => (await import('../commands/undo/undo-command.ts')).undoCommand)));
}

function declareExport({ program, run }: Declaration): void {
  addCommand(program, 'export', withAccounts, withStore, withConnection, withMask, withLogs)
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
    .action(
      run(forAccounts(async () => (await import('../commands/export/export-command.ts')).exportCommand)),
    );
}

function declareAccount({ program, run }: Declaration): void {
  addCommand(program, 'account', withAccounts, withConnection, withFormat(), withLogs)
    .description("Show the account and its plan's limits; the quickest way to see whether the key works")
    .addHelpText('after', example('fwdsync account'))
    .action(run(forAccounts(async () => (await import('../commands/account-command.ts')).accountCommand)));
}

function declareVerify({ program, run }: Declaration): void {
  addCommand(program, 'verify', withAccounts, withConnection, withFormat(), withLogs)
    .description(
      'Ask the service to check domains, and print the DNS records that are missing as a zone file',
    )
    .argument('[domain...]', 'domains; default: all domains of the account')
    .addHelpText('after', example('fwdsync verify acme.example'))
    .action(
      run(forAccounts(async () => (await import('../commands/verify-command.ts')).verifyCommand, 'verify')),
    );
}

function declareRoute({ program, run }: Declaration): void {
  addCommand(program, 'route', withManifest, withConnection, withStore, withOutput())
    .description(
      'Show where a mail would go, and which alias or rule matches it; exits with 0 even when it is refused',
    )
    .argument('<address>', 'recipient')
    .addOption(optional('--from <address>', 'sender', 'none'))
    .addOption(optional('--subject <text>', 'subject', 'empty'))
    .addOption(optional('--body <text>', 'body', 'empty'))
    .option('--live', 'use the account instead of the manifest')
    .addHelpText('after', example('fwdsync route sales@acme.example --subject "invoice 7"'))
    .action(run(async () => (await import('../commands/route/route-command.ts')).routeCommand));
}

function declareLogs({ program, run }: Declaration): void {
  addCommand(program, 'logs', withFiles, withConnection, withStore, withOutput(), withLogQuery)
    .description('List, follow, search or count the email logs of a domain')
    .argument('<domain>', 'domain')
    .addHelpText('after', example('fwdsync logs acme.example --status BOUNCED,REFUSED --after 2026-09-01'))
    .action(run(async () => (await import('../commands/logs/logs-command.ts')).logsCommand));
}

function declareDelivery({ program, run }: Declaration): void {
  addCommand(program, 'delivery', withFiles, withConnection, withStore, withOutput(), withDeliveryOptions)
    .description(
      'Show who did not get mail, and why, by alias and destination; exits with 2 when mail keeps failing',
    )
    .argument('[domain...]', 'domains that the manifest names; default: all of them')
    .addHelpText('after', example('fwdsync delivery acme.example --since 24h --fail-on refused,hard'))
    .action(run(async () => (await import('../commands/delivery/delivery-command.ts')).deliveryCommand));
}

function declareHistory({ program, run }: Declaration): void {
  addCommand(program, 'history', withAccounts, withStore, withAccount, withOutput())
    .description(
      'List the runs that wrote, and what was changed outside fwdsync; of one run, its diff; offline',
    )
    .argument('[run]', 'the id of a run')
    .addOption(optional('--since <duration>', 'only what happened within this time, such as 2d', 'all'))
    .option('--domain <domain>', 'only this domain (repeatable)', collect)
    .addHelpText('after', example('fwdsync history --since 2d --domain acme.example'))
    .action(
      run(forAccounts(async () => (await import('../commands/history/history-command.ts')).historyCommand)),
    );
}

function declareBlame({ program, run }: Declaration): void {
  addCommand(program, 'blame', withStore, withAccount, withOutput())
    .description('Show what set an alias or rule as it is: when, by which run, commit and person; offline')
    .argument('<address>', 'an address, RULE@DOMAIN, or a domain for its settings')
    .addHelpText('after', example('fwdsync blame sales@acme.example'))
    .action(run(async () => (await import('../commands/history/blame-command.ts')).blameCommand));
}

function declareCompletion({ program, run, context }: Declaration): void {
  addCommand(program, 'completion')
    .usage('[options] <shell>')
    .description('Print the completion of this command line for a shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('source <(fwdsync completion bash)'))
    .action(run(async () => (await import('../commands/completion/completion.ts')).completionCommand))
    // What the printed scripts run.
    .command('words', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) =>
      (await import('../commands/completion/words.ts')).completeWords(program, context, words),
    );
}
