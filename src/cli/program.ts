import { Argument, Command, Option } from 'commander';
import pkg from '../../package.json' with { type: 'json' };
import { quote } from '../model/names.ts';
import { openCommandLog } from './output/command-log.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit.ts';
import { forAccounts } from './accounts/for-accounts.ts';
import { DOCUMENT_FORMATS, PLAN_FORMATS, VALIDATE_FORMATS } from './output/formats.ts';
import {
  example,
  portNumber,
  wholeNumber,
  withAccounts,
  withAllowances,
  withConnection,
  withFormat,
  withLogs,
  withManifest,
  withOutput,
  withState,
  type CommandAction,
  type CommandRunner,
  type Execute,
} from './input/options.ts';
import { addAccountCommands } from './program-account.ts';
import type { CommonOptions } from './settings.ts';

interface ProgramPorts {
  /** Takes the exit code of the command. */
  readonly finish: (code: ExitCode) => void;
  readonly execute: Execute;
}

/**
 * The command line: names, options and help. Each command's module is loaded when it runs, so that
 * `validate` in a git hook pays for nothing else.
 */
export function createProgram(context: Context, { finish, execute }: ProgramPorts): Command {
  const program = new Command('fwdsync')
    .description(
      'Email forwarding as code: plans and applies a YAML manifest of domains, aliases, rules and SMTP credentials.',
    )
    .version(pkg.version, '-V, --version')
    .showHelpAfterError('Run with --help for the options.')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .addHelpText('after', HELP)
    .addHelpText('afterAll', ({ command }) => footer(command.name()))
    .allowExcessArguments()
    .hook('preAction', (_, command) => refuseExcess(command))
    .exitOverride();

  const run =
    <Options>(load: () => Promise<CommandAction<Options>>) =>
    async (...received: unknown[]): Promise<void> => {
      const command = received.at(-1) as Command;
      const options = command.opts() as Options;
      const log = await openCommandLog(context, options as CommonOptions, command.name());
      const action = await load();
      const code = await action(log.context, options, command.args);
      log.finish(code);
      finish(code);
    };

  addPlanners(program, run);
  addAppliers(program, run);
  addAccountCommands(program, run);
  addServers(program, run);
  addDemo(program, run, execute);
  addCompletion(program, run, context);
  return program;
}

/** Commander's own message says how many arguments there are, but not that a manifest is named with -f. */
function refuseExcess(command: Command): void {
  const expected = command.registeredArguments;
  const [extra] = command.args.slice(expected.length);
  if (extra === undefined || expected.at(-1)?.variadic === true) return;
  const takesFiles = command.options.some(({ long }) => long === '--file');
  const fix = takesFiles ? `; name a manifest with -f: fwdsync ${command.name()} -f PATH` : '';
  command.error(`error: fwdsync ${command.name()} takes no argument ${quote(extra)} here${fix}`, {
    code: 'commander.excessArguments',
  });
}

function addPlanners(program: Command, run: CommandRunner): void {
  withOutput(withAccounts(withManifest(program.command('validate'))), VALIDATE_FORMATS)
    .description('Check manifests, offline and without a key')
    .option('--staged', 'read the manifests from the git index: what is about to be committed')
    .option('--against <rev>', 'also report what the change since this git revision would delete')
    .addHelpText('after', example('fwdsync validate -f fwdsync.yaml'))
    .action(
      run(() =>
        forAccounts(async () => (await import('./commands/validate.ts')).validateCommand, VALIDATE_FORMATS),
      ),
    );

  withAllowances(
    withOutput(withState(withConnection(withAccounts(withManifest(program.command('plan'))))), PLAN_FORMATS),
  )
    .description('Show what apply would do; sends nothing but GET')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option('--summary', 'show totals, guards and problems, but not the changes')
    .option('--against <rev>', 'only domains that the change since this git revision concerns')
    .option('--out <file>', 'save the plan, to be reviewed and then applied')
    .option('--quick', 'skip domains that are unchanged since the last apply')
    .addHelpText('after', example('fwdsync plan -f fwdsync.yaml --detailed-exitcode'))
    .action(
      run(() => forAccounts(async () => (await import('./commands/plan.ts')).planCommand, PLAN_FORMATS)),
    );

  withLogs(withFormat(withAccounts(program.command('show').argument('<plan>', 'a saved plan')), PLAN_FORMATS))
    .description('Print a saved plan in any format, offline')
    .addHelpText('after', example('fwdsync show plan.json'))
    .action(
      run(() =>
        forAccounts(async () => (await import('./commands/show.ts')).showCommand, PLAN_FORMATS, 'show'),
      ),
    );
}

function addAppliers(program: Command, run: CommandRunner): void {
  withAllowances(
    withOutput(
      withState(
        withConnection(
          withAccounts(withManifest(program.command('apply').argument('[plan]', 'a saved plan'))),
        ),
      ),
    ),
  )
    .description('Make a plan, ask, apply it and verify; with a saved plan: if it is still the same')
    .option('--against <rev>', 'only domains that the change since this git revision concerns')
    .option('--yes', 'do not ask; requires an account (--account or api.account)')
    .option(
      '--max-failures <n>',
      'stop after this many failed items (default: 25, or 5 % if that is more)',
      wholeNumber,
    )
    .addHelpText('after', example('fwdsync apply -f fwdsync.yaml --yes --account ops@acme.example'))
    .action(
      run(() =>
        forAccounts(
          async () => (await import('./commands/apply.ts')).applyCommand,
          DOCUMENT_FORMATS,
          'apply',
        ),
      ),
    );

  withOutput(withState(withConnection(withAccounts(withManifest(program.command('run'))))))
    .description('Keep the account in sync with the manifest until stopped')
    .option('--interval <duration>', 'time between checks of the whole account', '5m')
    .addOption(
      new Option('--mode <mode>', 'apply changes, or only report them')
        .choices(['apply', 'observe'])
        .default('apply'),
    )
    .option('--listen <address>', 'where health, readiness, metrics and status are served', '127.0.0.1:9477')
    .option('--once', 'one run, then end as apply --yes does; with --mode observe: 2 when something differs')
    .addHelpText('after', example('fwdsync run -f /etc/fwdsync --interval 10m'))
    .action(run(async () => (await import('./commands/run.ts')).runCommand));
}

function addServers(program: Command, run: CommandRunner): void {
  program
    .command('emulator')
    .description('Serve the whole API on loopback, to try things out without an account')
    .option('--port <port>', 'port to listen on; 0 takes a free one', portNumber, 8025)
    .option('--api-key <key>', 'the key that clients must send', 'emulator')
    .addOption(new Option('--plan <plan>', 'plan of the account').choices(['free', 'paid']).default('paid'))
    .option(
      '--rate-limit <n>',
      'requests per window and endpoint (default: 200, on the free plan 30)',
      wholeNumber,
    )
    .option('--window <seconds>', 'length of the window', wholeNumber, 60)
    .option('--from <manifest>', 'start with an account as this manifest wants it')
    .option('--account <email>', 'email of the account; default: that of the manifest')
    .option('--smtp-password <password>', 'password of every SMTP credential of --from (default: emulator)')
    .option('--state <file>', 'load the account from this file and keep it there')
    .option('--faults <file>', 'scripted faults, as JSON')
    .option('--control', 'serve /_emulator, which reads and changes the emulator, to loopback')
    .addHelpText('after', example('fwdsync emulator --port 8025 --state account.json'))
    .action(run(async () => (await import('./commands/emulator.ts')).emulatorCommand));
}

/** Commands that use the command line itself. */
function addDemo(program: Command, run: CommandRunner, execute: Execute): void {
  withOutput(program.command('demo'))
    .description(
      'Start an emulator with a drifted account and show validate, plan, apply and the empty plan after it',
    )
    .addHelpText('after', example('fwdsync demo'))
    .action(run(async () => (await import('./commands/demo.ts')).demoCommand(execute)));
}

function addCompletion(program: Command, run: CommandRunner, context: Context): void {
  const completion = program
    .command('completion')
    .usage('[options] <shell>')
    .description('Print the completion of this command line for a shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('source <(fwdsync completion bash)'))
    .action(run(async () => (await import('./commands/completion.ts')).completionCommand(program)));
  // What the printed scripts run.
  completion
    .command('domains', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) =>
      (await import('./commands/completion/domains.ts')).completeDomains(context, words),
    );
}

/** Below the help of each command. */
function footer(command: string): string {
  const more = command === 'fwdsync' ? '' : 'Environment and exit codes: fwdsync --help\n';
  return `\n${more}Documentation: ${pkg.homepage}/tree/main/docs`;
}

const HELP = `
Environment:
  FWDSYNC_API_KEY, FWDSYNC_API_KEY_FILE  the API key, or a file that holds it; there is no flag for it
  FWDSYNC_FILE, FWDSYNC_ACCOUNT, …       stand for the option next to which they are named in brackets
  FWDSYNC_REFERENCE_PATH                 directories of files behind absolute references; default: /run/secrets
  FWDSYNC_NOTIFY_URL                     where run sends notifications
  FWDSYNC_NOTIFY_URL_FILE                a file that holds that address

Exit codes:
  0    done            1    could not be done      2    changes (plan --detailed-exitcode)
  3    applied in part 4    refused by a guard     5    the manifest is invalid
  6    stale plan      64   wrong usage            130  interrupted, 143 terminated

Example:
  $ fwdsync plan -f fwdsync.yaml`;
