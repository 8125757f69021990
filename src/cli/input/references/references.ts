import { readFile } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { ReadReferences } from '../../../core/manifest/load.ts';
import type { DesiredApi, ReferenceValue } from '../../../core/model/desired.ts';
import type { Reference } from '../../../core/model/destinations.ts';
import type { ProcessContext } from '../../context.ts';
import { CommandError, EXIT, commandFailure } from '../../exit.ts';
import { readReferenceFile } from './reference-file.ts';
import { reservedReference, reserveKey } from './reserved.ts';

/** Directories that absolute paths of references may lead to; `FWDSYNC_REFERENCE_PATH` replaces them. */
const DEFAULT_PATH = ['/run/secrets', '/var/run/secrets'].join(delimiter);

const AT_ONCE = 32;

type Surroundings = Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>;

/**
 * Returns the value behind a reference to a destination or a password. Refuses a value that is an API key or another
 * secret of the operator.
 */
export async function referenceValue(context: Surroundings, reference: Reference): Promise<ReferenceValue> {
  const reserved = await reservedReference(context, reference);
  if (reserved !== null) return reserved;
  const value = await readValue(context, reference);
  const what = typeof value === 'string' ? context.secrets.whyForbidden(value) : null;
  if (what === null) {
    if (typeof value === 'string') hide(context, value, reference);
    return value;
  }
  return { refused: `its value is ${what}`, hint: 'name another variable or file' };
}

/**
 * Hides a value, and each part of a list, because the service may repeat it. The word for no destination is not a
 * secret.
 */
function hide({ secrets }: Surroundings, value: string, { shown }: Reference): void {
  const parts = [value, ...value.split(',')].map((part) => part.trim());
  for (const part of parts) if (part !== 'discard') secrets.redactor.add(part, shown);
}

/**
 * Returns a reader of the references that a manifest needs, some at a time. It first finds the secrets that none of
 * them may be.
 */
export function referenceReader(context: Surroundings): ReadReferences {
  return async ({ keys, others }) => {
    await forbidSecrets(context);
    for (const key of keys) await forbidKey(context, key);
    const distinct = [...new Map(others.map((reference) => [identify(reference), reference]))];
    const values = new Map<string, ReferenceValue>();
    for (let start = 0; start < distinct.length; start += AT_ONCE) {
      const some = distinct.slice(start, start + AT_ONCE);
      await Promise.all(
        some.map(async ([id, reference]) => values.set(id, await referenceValue(context, reference))),
      );
    }
    return (reference) => values.get(identify(reference)) ?? null;
  };
}

/** Forbids every reference of every account to be this key or to have its value. */
async function forbidKey(context: Surroundings, key: Reference): Promise<void> {
  await reserveKey(context, key);
  const value = await readValue(context, key);
  if (typeof value === 'string') context.secrets.forbid(value, 'the API key of an account');
}

/** Returns the API key: the manifest's, then `FWDSYNC_API_KEY`, then the file of `FWDSYNC_API_KEY_FILE`. */
export async function resolveKey(api: Pick<DesiredApi, 'key'>, context: Surroundings): Promise<string> {
  const found = await lookUpKey(api, context);
  if (found !== null) return found;
  const names = [api.key?.shown, 'FWDSYNC_API_KEY', 'FWDSYNC_API_KEY_FILE'].filter(
    (name) => name !== undefined,
  );
  throw commandFailure(`no API key: none of ${names.join(', ')} is set`, 'set one of them');
}

/** Returns the API key for a command that can work without one; null if none is set. */
export async function lookUpKey(
  { key }: Pick<DesiredApi, 'key'>,
  context: Surroundings,
): Promise<string | null> {
  const stated = key === undefined ? null : await readValue(context, key);
  if (stated !== null && typeof stated !== 'string') {
    throw new CommandError(
      EXIT.invalid,
      `api.key, ${key?.shown}, cannot be used: ${stated.refused}`,
      stated.hint,
    );
  }
  const found = stated ?? (await operatorSecret(context, 'FWDSYNC_API_KEY'));
  if (found !== null) context.secrets.forbid(found, 'the API key of an account');
  return found;
}

/**
 * Returns a secret of the operator: from a variable, or from the file that the variable ending in `_FILE` names. null
 * means that neither is set. Throws if the file is empty or cannot be read.
 */
export async function operatorSecret(
  { env, cwd }: Pick<ProcessContext, 'env' | 'cwd'>,
  name: string,
): Promise<string | null> {
  if (env[name]) return env[name];
  const path = env[`${name}_FILE`];
  if (!path) return null;
  const value = await readOperatorFile(resolve(cwd, path));
  if (value) return value;
  throw commandFailure(
    `${name}_FILE names ${path}, which is empty or cannot be read`,
    'check the path and its permissions',
  );
}

async function readValue(
  { env, cwd }: Pick<ProcessContext, 'env' | 'cwd'>,
  reference: Reference,
): Promise<ReferenceValue> {
  if (reference.kind === 'env') return env[reference.name] || null;
  if (reference.below !== null) return readReferenceFile(reference.path, [reference.below]);
  const directories = (env['FWDSYNC_REFERENCE_PATH'] || DEFAULT_PATH).split(delimiter);
  return readReferenceFile(
    reference.path,
    directories.filter((directory) => directory !== '').map((directory) => resolve(cwd, directory)),
  );
}

const SECRETS = [
  { name: 'FWDSYNC_API_KEY', what: 'the API key of an account' },
  { name: 'FWDSYNC_NOTIFY_URL', what: 'the address for notifications' },
  { name: 'FWDSYNC_PAGE_TOKEN', what: 'the token of the page' },
  { name: 'FWDSYNC_STORE', what: 'the URL of the store' },
  { name: 'FWDSYNC_STORE_KEY', what: 'the key of the store' },
  { name: 'PGPASSWORD', what: 'the password of the store' },
] as const;

/**
 * Forbids the operator's secrets, from variables or from the files that variables name. A pipe can be read only once,
 * so it is not read here.
 */
async function forbidSecrets({ env, cwd, secrets }: Surroundings): Promise<void> {
  for (const { name, what } of SECRETS) {
    const path = env[`${name}_FILE`];
    const value = env[name] || (path ? await readReferenceFile(resolve(cwd, path), ['/']) : null);
    if (typeof value === 'string') secrets.forbid(value, what);
  }
}

/** Reads a file that the operator named. It may be anything, even a pipe. */
async function readOperatorFile(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}

function identify(reference: Reference): string {
  return reference.kind === 'env'
    ? `env ${reference.name}`
    : `file ${reference.path} ${reference.below ?? ''}`;
}
