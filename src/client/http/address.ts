import { isLoopback } from '../../core/model/endpoints.ts';

export const CREDENTIALS_IN_ADDRESS = 'the API address contains a user name or password';

/**
 * Returns why an address cannot be the API's root, or null if it can. The key is sent only over https, or to this machine.
 */
export function addressFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'the API address is not a URL';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return 'the API address is neither https nor http on loopback';
  }
  if (url.username !== '' || url.password !== '') return CREDENTIALS_IN_ADDRESS;
  if (url.search !== '' || url.hash !== '') return 'the API address has a query or fragment';
  return null;
}

/** Returns why a key cannot be sent, without showing it, or null if it can. */
export function keyFault(key: string): string | null {
  if (key === '') return 'the API key is empty';
  if (/[\r\n]/.test(key)) return 'the API key contains a line break';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'the API key contains a space or a character that is not ASCII';
  return null;
}
