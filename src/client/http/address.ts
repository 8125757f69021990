import { isLoopback } from '../../core/model/endpoints.ts';

export const CREDENTIALS_IN_ADDRESS = 'the API address holds a user name or password';

/** Why an address cannot be the API's root; null when it can. The key is sent over https, or to this machine. */
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

/** Why a key cannot be sent, without its value; null when it can. */
export function keyFault(key: string): string | null {
  if (key === '') return 'the API key is empty';
  if (/[\r\n]/.test(key)) return 'the API key contains a line break';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'the API key contains a space or a character that is not ASCII';
  return null;
}
