import type { DesiredApi } from '../../model/desired.ts';
import { isLoopback } from '../../model/endpoints.ts';
import { parseDestination } from './values/destination-text.ts';
import type { LoadOptions, Loading } from './context.ts';
import { textOf, valueOf, type MapNode, type Node } from '../read/node.ts';
import type { Words } from '../problems.ts';
import { readReference } from './values/references.ts';

const BUILT_IN_HOST = 'api.improvmx.com';

/** Reads the `api` section. A missing required key is reported at the first document. */
export function readApi(api: MapNode | null, first: Node | undefined, loading: Loading): DesiredApi {
  const node = api ?? undefined;
  const url = readUrl(valueOf(node, 'url'), loading);
  const version = textOf(valueOf(node, 'version'));
  const account = readAccount(valueOf(node, 'account'), loading);
  const key = readReference(valueOf(node, 'key'), loading.options);
  reportRequired(node, api ?? first, loading);
  return {
    ...(url === null ? {} : { url }),
    ...(version === 'v4' || version === 'v3' ? { version } : {}),
    ...(account === null ? {} : { account }),
    ...(key === null ? {} : { key }),
  };
}

/** Returns the generation of the API: from the operator, else the manifest, else the URL. */
export function versionOf(api: DesiredApi, options: LoadOptions): 'v4' | 'v3' {
  const fromUrl = /\/(v3|v4)\/?$/.exec(options.namedUrl ?? api.url ?? '')?.[1] === 'v3' ? 'v3' : 'v4';
  return options.apiVersion ?? api.version ?? fromUrl;
}

/**
 * Reads the API's URL. The key is sent only to hosts that the operator named, so that a changed manifest cannot send
 * it elsewhere.
 */
function readUrl(written: Node | undefined, { log, options }: Loading): string | null {
  const text = textOf(written);
  if (written === undefined || !text) return null;
  const fault = findUrlFault(text, options);
  if (fault === null) return text;
  log.report(fault.code, written, fault);
  return null;
}

interface UrlFault extends Words {
  readonly code: 'invalid-url' | 'insecure-api-url' | 'untrusted-api-url';
}

function findUrlFault(text: string, { namedUrl }: LoadOptions): UrlFault | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.password}${url.search}${url.hash}` !== ''
  ) {
    const hint = urlHint(url);
    return { code: 'invalid-url', message: 'the address of the API cannot be used', hint };
  }
  if (isLoopback(url.hostname)) return null;
  if (url.protocol === 'http:') {
    const message =
      'the address of the API is plain http to another machine: the key would travel unencrypted';
    return { code: 'insecure-api-url', message, hint: 'use https' };
  }
  if (url.host === BUILT_IN_HOST || url.host === hostOf(namedUrl)) return null;
  return {
    code: 'untrusted-api-url',
    message: `the operator did not name the host ${url.host}: a manifest cannot send the key there`,
    hint: 'name the address with --api-url or FWDSYNC_API_URL as well',
  };
}

function urlHint(url: URL | null): string {
  return url !== null && `${url.username}${url.password}` !== ''
    ? 'remove user name and password, and change the secret if it is one; api.key refers to the key'
    : 'write it as https://host/v4, without user name, password, query or fragment';
}

function readAccount(written: Node | undefined, { log }: Loading): string | null {
  const text = textOf(written);
  if (written === undefined || !text) return null;
  const parsed = text.includes('://') ? null : parseDestination(text);
  if (parsed?.ok) return text;
  const message = '`account` is not an email address';
  log.report('invalid-address', written, { message, hint: 'write the email that owns the account' });
  return null;
}

function reportRequired(api: Node | undefined, place: Node | undefined, { log, options }: Loading): void {
  if (place === undefined) return;
  for (const key of options.required ?? []) {
    if (valueOf(api, key) !== undefined) continue;
    log.report('missing-key', place, {
      message: `api.${key} is missing: with several accounts each manifest must state it`,
      hint: `add \`api: { ${key}: … }\``,
    });
  }
}

function hostOf(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : null;
}
