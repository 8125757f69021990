import { createHmac, scrypt } from 'node:crypto';

/** Cost of one fingerprint: about 10 ms and 4 MiB, so that a stolen state directory does not give passwords away cheaply. */
const SCRYPT = { N: 4096, r: 8, p: 1 } as const;
const BYTES = 24;

/** Fingerprints of passwords under one salt; each password is worked out once in a process. */
export function createFingerprinter(salt: Uint8Array): (password: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (password) => {
    const key = createHmac('sha256', salt).update(password).digest('base64');
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = derive(password, salt);
    known.set(key, made);
    return made;
  };
}

function derive(password: string, salt: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, BYTES, SCRYPT, (error, bytes) => {
      if (error === null) resolve(`scrypt:${bytes.toString('base64')}`);
      else reject(error);
    });
  });
}
