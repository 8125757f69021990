import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { MailKeys } from '../../account/model.ts';

/** Keys that sign mail and hash rewritten senders. */
export interface SigningKeys {
  /** PEM. */
  readonly privateKey: string;
  /** Base64, as in a DKIM record. */
  readonly publicKey: string;
  readonly srsKey: string;
}

/**
 * Returns the account's keys. Missing keys are created and saved in the account. A stated `srsKey` takes precedence and is
 * saved too.
 */
export async function readSigningKeys(
  keys: MailKeys,
  { srsKey, randomId }: { readonly srsKey: string | undefined; readonly randomId: () => string },
): Promise<SigningKeys> {
  keys.srs_key = srsKey ?? keys.srs_key ?? `${randomId()}${randomId()}`.replaceAll('-', '');
  keys.dkim_key ??= await makeKey();
  const publicKey = createPublicKey(createPrivateKey(keys.dkim_key));
  return {
    privateKey: keys.dkim_key,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    srsKey: keys.srs_key,
  };
}

async function makeKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
