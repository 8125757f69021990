import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RefusedValue } from '../../../core/model/desired.ts';
import type { Reference } from '../../../core/model/destinations.ts';
import type { ProcessContext } from '../../context.ts';

/** Variables that fwdsync reads for itself, and those of PostgreSQL that may hold or name a secret. */
const OWN = /^(?:FWDSYNC_.*|PG(?:USER|PASSWORD|PASSFILE|OPTIONS|SERVICE|SERVICEFILE|SSL.*))$/;
/** Variables that name a file of fwdsync. */
const OWN_FILE = /^(?:FWDSYNC_\w+_FILE|PGPASSFILE|PGSSLKEY)$/;

/**
 * Returns why no manifest may use a reference as a destination or a password, regardless of its value. null means
 * that it may be used. The key of an account is reserved even if the account's manifest is invalid, or if the key
 * cannot be read.
 */
export async function reservedReference(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>,
  reference: Reference,
): Promise<RefusedValue | null> {
  const what =
    reference.kind === 'env'
      ? reservedVariable(context, reference.name)
      : await reservedFile(context, reference.path);
  return what === null ? null : { refused: `it is ${what}`, hint: 'name another variable or file' };
}

const KEY = 'the API key of an account';

function reservedVariable({ secrets }: Pick<ProcessContext, 'secrets'>, name: string): string | null {
  if (secrets.keys.env.has(name)) return KEY;
  return OWN.test(name) ? 'a variable that fwdsync itself uses' : null;
}

/** Links are followed on both sides: the same file may have several paths. */
async function reservedFile(
  { env, cwd, secrets }: Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>,
  path: string,
): Promise<string | null> {
  const keys = secrets.keys.file;
  const real = await realPath(path);
  if (keys.has(path) || [...keys.values()].includes(real)) return KEY;
  const own = Object.keys(env).flatMap((name) => (OWN_FILE.test(name) ? [env[name] ?? ''] : []));
  for (const file of [...own, join(env['HOME'] ?? '/', '.pgpass')])
    if (file !== '' && (await realPath(resolve(cwd, file))) === real)
      return 'a file that fwdsync itself uses';
  return null;
}

/** Reserves the key of an account. From then on no other reference may be this key. */
export async function reserveKey(
  { secrets }: Pick<ProcessContext, 'secrets'>,
  key: Reference,
): Promise<void> {
  if (key.kind === 'env') secrets.keys.env.add(key.name);
  else secrets.keys.file.set(key.path, await realPath(key.path));
}

/** Returns the path without links. A path that leads nowhere is unchanged. */
export async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
