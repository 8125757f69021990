import type { Result } from '../../model/result.ts';
import type { SourceText } from '../read/text.ts';
import type { ForwardEntry, LeftOutLine, LeftOutReason, ParsedSource, Span } from './forwards.ts';

/** Settings and files that a format needs beside the text. */
export interface SourceContext {
  /** `--for`: the domains of local names. */
  readonly localDomains: readonly string[];
  /** The domain in the file's name; null if it has none. */
  readonly fileDomain: string | null;
  /** `--address` and `--destination`. */
  readonly columns: { readonly address: string; readonly destination: string } | null;
  /** Reads a file beside this one, by its base name; null if it cannot be read. */
  readonly include: (name: string) => SourceText | null;
}

/** The reason why a whole file cannot be translated. */
export interface SourceFault {
  /** `usage`: an option is missing or wrong. `structure`: the text does not match its format. */
  readonly kind: 'usage' | 'structure';
  readonly span: Span | null;
  readonly message: string;
  readonly hint: string;
}

export type ParseSource = (within: SourceText, context: SourceContext) => Result<ParsedSource, SourceFault>;

/** Collects the entries of one names look-up. Of two entries for one key the first wins. */
export interface EntryCollector {
  readonly entries: Map<string, ForwardEntry>;
  readonly leftOut: LeftOutLine[];
  readonly add: (key: string, entry: ForwardEntry) => void;
  readonly leaveOut: (span: Span, address: string | null, reason: LeftOutReason) => void;
}

export function collectEntries(): EntryCollector {
  const entries = new Map<string, ForwardEntry>();
  const leftOut: LeftOutLine[] = [];
  return {
    entries,
    leftOut,
    add(key, entry) {
      if (entries.has(key))
        leftOut.push({ span: entry.span, address: addressOfKey(key), reason: 'duplicate' });
      else entries.set(key, entry);
    },
    leaveOut(span, address, reason) {
      leftOut.push({ span, address, reason });
    },
  };
}

/** Formats a key as an address, with `*@acme.example` for every other address of a domain. */
export function addressOfKey(key: string): string {
  return key.startsWith('@') ? `*${key}` : key;
}

export function missingLocalDomain(span: Span): SourceFault {
  return {
    kind: 'usage',
    span,
    message: 'this name has no domain, and --for is not given',
    hint: 'give the domain with --for, such as --for acme.example',
  };
}

/** True if a name has unambiguous case. `ß`, for example, becomes `SS` in capitals. */
export function hasPlainCase(local: string): boolean {
  if (/^[\x21-\x7e]*$/.test(local)) return true;
  const lower = local.toLowerCase();
  return lower === local.toUpperCase().toLowerCase() && lower === lower.normalize('NFC');
}
