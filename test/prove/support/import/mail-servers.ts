import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The directory in which .ci/tools.sh unpacks Postfix and Exim. */
const ROOT = '/opt/fwdsync-tests';

interface MailServers {
  readonly root: string;
  readonly postmap: string;
  readonly exim: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Look-up programs of mail servers. The servers themselves are never started. */
export function mailServers(): MailServers {
  if (!existsSync(join(ROOT, 'unpacked')))
    throw new Error('Postfix and Exim are missing: run .ci/tools.sh as root');
  return {
    root: ROOT,
    postmap: join(ROOT, 'usr/sbin/postmap'),
    exim: join(ROOT, 'usr/sbin/exim4'),
    environment: {
      PATH: process.env['PATH'] ?? '',
      LD_LIBRARY_PATH: join(ROOT, 'usr/lib/postfix'),
      TZ: 'UTC',
    },
  };
}
