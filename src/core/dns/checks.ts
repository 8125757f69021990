/** The records that the service checks, in the order in which people add them to DNS. */
export const RECORD_NAMES = ['mx', 'spf', 'dkim1', 'dkim2', 'dmarc'] as const;
export type RecordName = (typeof RECORD_NAMES)[number];

export interface RecordCheck {
  readonly expected: readonly string[];
  readonly values: readonly string[];
  readonly valid: boolean;
}

export type RecordChecks = Readonly<Record<RecordName, RecordCheck>>;

/** Returns the records that are missing or wrong. */
export function missingRecords({ records }: { readonly records: RecordChecks }): readonly RecordName[] {
  return RECORD_NAMES.filter((name) => !records[name].valid);
}
