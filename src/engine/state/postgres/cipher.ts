import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** The place of a sealed text. The text opens only there, so that it cannot be moved to another row or account. */
export interface SealedPlace {
  readonly table: string;
  /** The account's number in the store. */
  readonly account: string;
  readonly row: string;
  /** The row's revision. */
  readonly revision: string;
}

/** Encrypts and decrypts the confidential texts of the store. */
export interface Cipher {
  /** Stored to recognize the key. null means that there is no key and everything is in clear text. */
  readonly check: Buffer | null;
  seal(place: SealedPlace, text: string): Buffer;
  /** Opens a sealed text. Returns null if it was sealed with another key or for another place, or if it is damaged. */
  open(place: SealedPlace, sealed: Buffer): string | null;
  /** Returns bytes to look up a text. Equal texts give equal bytes, which reveal nothing without the key. */
  lookUp(text: string): Buffer;
}

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a cipher: AES-256-GCM with a separate nonce for each text. With a null key, texts stay in clear. */
export function createCipher(key: Uint8Array | null): Cipher {
  return key === null ? CLEAR : sealingCipher(key);
}

const CLEAR: Cipher = {
  check: null,
  seal: (_place, text) => Buffer.from(text),
  open: (_place, sealed) => sealed.toString('utf8'),
  lookUp: (text) => Buffer.from(text),
};

function sealingCipher(key: Uint8Array): Cipher {
  const sealing = derive(key, 'seal');
  const looking = derive(key, 'look up');
  return {
    check: derive(key, 'check'),
    seal(place, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(associated(place));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(place, sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
      const end = sealed.length - TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(0, NONCE_BYTES))
        .setAAD(associated(place))
        .setAuthTag(sealed.subarray(end));
      const text = decipher.update(sealed.subarray(NONCE_BYTES, end));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
    lookUp: (text) => createHmac('sha256', looking).update(text).digest(),
  };
}

function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `fwdsync store: ${purpose}`, 32));
}

function associated({ table, account, row, revision }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([table, account, row, revision]));
}
