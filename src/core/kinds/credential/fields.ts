import type { Reference, ReferenceDocument } from '../../model/destinations.ts';
import type { CredentialName, NameKey } from '../../model/names.ts';
import type { AbsentDocument, Origin } from '../../model/resources.ts';
import type { FieldsOf, KeptFieldsOf, FieldRows } from '../../fields/fields.ts';
import { password } from '../../fields/password.ts';
import type { KindFacts } from '../facts.ts';

const ROWS = {
  password: { codec: password, optional: true },
} as const satisfies FieldRows;

export const CREDENTIAL: KindFacts<'credential'> = {
  kind: 'credential',
  order: 4,
  section: 'credentials',
  plural: 'credentials',
  entries: 'map',
  identity: 'name',
  routesMail: false,
  isListed: false,
  fields: ROWS,
  // Only its existence can be known.
  signature: () => 'exists',
};

/** The state of a credential. Nothing can be read back; it only records that a new password will be sent. */
export type CredentialState = Partial<FieldsOf<typeof ROWS>>;

export type PresentCredential = Origin & {
  readonly state: 'present';
  readonly name: CredentialName;
  readonly password?: Reference;
};
export type DesiredCredential =
  | PresentCredential
  | (Origin & { readonly state: 'absent'; readonly name: CredentialName });

export interface ObservedCredential {
  readonly name: string;
}

export interface CredentialDocument {
  readonly password?: ReferenceDocument;
}

declare module '../../model/kinds.ts' {
  interface KindTypes {
    readonly credential: {
      readonly section: 'credentials';
      readonly fields: CredentialState;
      readonly kept: Partial<KeptFieldsOf<typeof ROWS>>;
      readonly observed: ObservedCredential;
      readonly rows: readonly ObservedCredential[];
      readonly desired: ReadonlyMap<NameKey, DesiredCredential>;
      readonly entry: DesiredCredential;
      readonly document: ReadonlyMap<string, CredentialDocument | AbsentDocument>;
      readonly change: object;
    };
  }
}
