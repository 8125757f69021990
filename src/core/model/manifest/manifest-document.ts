import { DISCARD, type Destination, type ReferenceDocument } from '../destinations.ts';
import type { ForwardDocument } from '../resources.ts';
import type { Section, SectionTypes, StateTypes } from '../kinds.ts';

/**
 * The manifest language as plain data, for programs. Entries keyed by names are Maps, so that an alias named
 * `__proto__` is a name like any other.
 */
export interface ManifestDocument {
  readonly version: 1;
  /** Lines of comment at the top. */
  readonly comments?: readonly string[];
  readonly api?: {
    readonly account?: string;
    readonly version?: 'v4' | 'v3';
    readonly url?: string;
    readonly key?: ReferenceDocument;
  };
  readonly destinations?: ReadonlyMap<string, ForwardDocument>;
  readonly domains: ReadonlyMap<string, DomainDocument>;
}

export interface DomainDocument extends SectionDocuments, SettingDocuments {
  /** Lines of comment above the domain. */
  readonly comments?: readonly string[];
  readonly state?: 'absent';
  readonly prune?: true;
}

type SettingDocuments = { readonly [S in keyof StateTypes['domain']]: YamlValue };

/** A value in a manifest: text, flag, list or map. */
export type YamlValue = string | boolean | readonly YamlValue[] | { readonly [key: string]: YamlValue };

type SectionDocuments = { readonly [S in Section]?: SectionTypes[S]['document'] };

/** Converts live destinations into their form in a manifest. */
export type ShowForward = (forward: readonly Destination[]) => ForwardDocument;

/** Converts destinations without references, sorted. */
export function forwardDocument(forward: readonly Destination[]): ForwardDocument {
  return oneOrList(forward.toSorted().map(destinationDocument));
}

export function destinationDocument(destination: string): string {
  return destination === DISCARD ? 'discard' : destination;
}

/** Unwraps a list of one. */
export function oneOrList(parts: readonly (string | ReferenceDocument)[]): ForwardDocument {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : parts;
}
