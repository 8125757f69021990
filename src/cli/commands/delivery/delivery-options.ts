import { InvalidArgumentError, type Command } from 'commander';
import type { FailedFate } from '../../../service/delivery/fates.ts';
import { plainOption, positiveNumber } from '../../declare/options.ts';

export interface DeliveryOptions {
  readonly since: string;
  readonly limitRequests?: number;
  readonly failOn: readonly FailedFate[];
}

const FAILED: readonly FailedFate[] = ['refused', 'soft', 'hard'];
const USUAL: readonly FailedFate[] = ['hard'];

export function deliveryOptions(command: Command): Command {
  return command
    .option('--since <duration>', 'how far back mail counts', '24h')
    .addOption(
      plainOption('--limit-requests <n>', 'stop reading after this many requests', 'no limit').argParser(
        positiveNumber,
      ),
    )
    .option(
      '--fail-on <list>',
      'exit with 2 when these reach the threshold of the manifest: refused, soft, hard',
      parseFates,
      USUAL,
    );
}

function parseFates(list: string): readonly FailedFate[] {
  return list.split(',').map((text) => {
    const found = FAILED.find((fate) => fate === text.trim().toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Use ${FAILED.join(', ')}, with commas between them.`);
  });
}
