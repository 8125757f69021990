import { showDestination, type Disclosure } from '../../../core/model/destinations.ts';
import { showSource } from '../../../core/model/manifest/problem.ts';
import type { WhoEntry, WhoFindings } from '../../../core/manifest/who/who.ts';

/** `fwdsync/who@1`: schemas/who.v1.schema.json. */
export interface WhoDocument {
  readonly kind: 'fwdsync/who@1';
  readonly basis: 'manifest' | 'account';
  readonly destination: string;
  readonly entries: readonly WhoEntryDocument[];
  readonly notes: readonly string[];
  /** Domains of the account that could not be read. */
  readonly unread: readonly UnreadDomain[];
}

export interface WhoEntryDocument extends Omit<WhoEntry, 'via'> {
  /** Groups, templates and references that the entry is made from, and addresses that its mail passes. */
  readonly via: readonly string[];
}

export interface UnreadDomain {
  readonly domain: string;
  readonly reason: string;
}

export interface WhoAnswer extends WhoFindings {
  readonly basis: WhoDocument['basis'];
  /** The destination in normal form. */
  readonly destination: string;
  /** True if the manifest itself routes mail to the destination, so that no mail ends there. */
  readonly isRouted: boolean;
  readonly unread: readonly UnreadDomain[];
  readonly disclosure: Disclosure;
}

export function whoDocument(answer: WhoAnswer): WhoDocument {
  const { basis, destination, entries, unread, disclosure } = answer;
  return {
    kind: 'fwdsync/who@1',
    basis,
    destination: showDestination(destination, disclosure),
    entries: entries.map((entry) => ({ ...entry, via: shownVia(entry, disclosure).map(({ name }) => name) })),
    notes: notesOf(answer),
    unread,
  };
}

/** Returns the `via` of an entry as it may be shown. */
export function shownVia({ via }: WhoEntry, disclosure: Disclosure): WhoEntry['via'] {
  return via.map(({ kind, name }) => {
    return { kind, name: kind === 'address' ? showDestination(name, disclosure) : name };
  });
}

/** Returns an entry as people name it: `sales@acme.example`, `rule vip of acme.example`. */
export function entryTitle({ kind, name, domain }: Pick<WhoEntry, 'kind' | 'name' | 'domain'>): string {
  switch (kind) {
    case 'alias':
      return `${name}@${domain}`;
    case 'catch-all':
      return name === '*' ? `*@${domain}` : `${name} of ${domain}`;
    case 'rule':
      return `rule ${name} of ${domain}`;
    default:
      return `${kind} of ${domain}`;
  }
}

const MOST_IDLE = 10;

function notesOf({ destination, isRouted, idle, disclosure }: WhoAnswer): readonly string[] {
  const left = idle.length - MOST_IDLE;
  return [
    ...(isRouted
      ? [
          `${showDestination(destination, disclosure)} is an address of this account: its mail is forwarded further`,
        ]
      : []),
    ...idle.slice(0, MOST_IDLE).map((entry) => {
      const [source] = entry.sources;
      const place = source === undefined ? '' : ` (${showSource(source)})`;
      return `${entryTitle(entry)} forwards there too, but gets no mail now${place}`;
    }),
    ...(left > 0 ? [`${left} more like this`] : []),
  ];
}
