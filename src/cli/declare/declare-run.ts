import { Option } from 'commander';
import type { Declaration } from '../command.ts';
import { VARIABLES } from '../settings/flags.ts';
import { NOTIFY_FORMATS } from '../../service/notify/notify-bodies.ts';
import {
  addCommand,
  example,
  PLANNING_OPTIONS,
  positiveNumber,
  setting,
  withHistory,
  withOutput,
} from './options.ts';

export function declareRun({ program, run }: Declaration): void {
  addCommand(program, 'run', ...PLANNING_OPTIONS, withHistory, withOutput())
    .description(
      'Keep accounts in sync with their manifests until stopped; with a store alone, those published',
    )
    .option('--interval <duration>', 'time between checks of the whole account', '5m')
    .addOption(
      setting(
        '--drift-url <url>',
        'base URL of v3, to find changed aliases and settings without reading every domain',
        VARIABLES.driftUrl,
      ),
    )
    .option('--full-interval <duration>', 'with --drift-url: how often each domain is read in full', '1h')
    .addOption(
      new Option('--mode <mode>', 'apply changes, or only report them')
        .choices(['apply', 'observe'])
        .default('apply'),
    )
    .option('--delivery', 'follow the email logs, and notify where mail keeps failing')
    .option('--listen <address>', 'where the page, status, health and metrics are served', '127.0.0.1:9477')
    .option('--base-path <path>', 'path below which a reverse proxy serves the page')
    .addOption(
      new Option('--notify-format <format>', 'what the webhook of FWDSYNC_NOTIFY_URL takes')
        .choices(NOTIFY_FORMATS)
        .default('json'),
    )
    .option('--concurrency <n>', 'of a worker: runs at once', positiveNumber, 50)
    .option(
      '--job-expiry <duration>',
      "of a worker: a silent worker's accounts go to others after this; the same on all workers",
      '60s',
    )
    .option('--once', 'one run, then end as apply --yes does; with --mode observe: 2 when something differs')
    .addHelpText('after', example('fwdsync run -f /etc/fwdsync --interval 10m'))
    .action(run(async () => (await import('../commands/run/run-command.ts')).runCommand));
}
