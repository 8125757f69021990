import type { EmulatorRequest } from '../http/protocol.ts';

/**
 * Why a request may not control the emulator; null: it may. The address alone does not say who asks: a page in a browser
 * on this machine reaches loopback too, under a name of its own (Host) or from another site (Origin).
 */
export function refuseAccess({ remoteAddress, headers }: EmulatorRequest): string | null {
  if (remoteAddress === undefined || !isLoopbackAddress(remoteAddress.replace(/^::ffff:/i, ''))) {
    return 'The control interface answers requests from loopback only.';
  }
  if (!isLoopbackAuthority(headers['host'] ?? '')) {
    return 'The Host header must name loopback, such as 127.0.0.1 or localhost.';
  }
  const { origin } = headers;
  const isForeign = origin !== undefined && !isLoopbackAuthority(origin.replace(/^https?:\/\//, ''));
  return isForeign ? 'Pages of other sites may not use the control interface.' : null;
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);
}

/** `host` or `host:port`. */
function isLoopbackAuthority(authority: string): boolean {
  const host = authority.replace(/:\d{1,5}$/, '').toLowerCase();
  return host === 'localhost' || host === '[::1]' || isLoopbackAddress(host);
}
