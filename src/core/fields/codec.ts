import type { Disclosure, References } from '../model/destinations.ts';
import type { ConcealedText, KeptText } from '../model/history/entries.ts';
import type { ShowForward, YamlValue } from '../model/manifest/manifest-document.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import type { Node } from '../manifest/read/node.ts';
import type { Loading } from '../manifest/resolve/context.ts';
import type { Json } from './json.ts';

/** Everything that depends only on the type of a value; `Kept` is the value as the history has it. */
export interface Codec<Value, Kept = Value> {
  /** True if the value is shown as destinations, separated by commas. */
  readonly isDestination?: true;
  /** True if the value cannot be read back. */
  readonly isSecret?: true;
  /** True if a manifest writes `true` or `false`. */
  readonly isFlag?: true;
  /** True if a manifest asks for no value with the word `none`. */
  readonly hasNone?: true;
  /** True if both mean the same to the service. */
  same(a: Value, b: Value): boolean;
  /** True if the service may show `shown` after `sent` was sent; by default if both are the same. */
  showsAs?(sent: Value, shown: Value): boolean;
  /** Names of the properties that plans show as separate fields. */
  parts?(value: Value): readonly string[];
  /** Shows a value to people and in documents; undefined means that it cannot be read. */
  show(value: Value, disclosure: Disclosure): unknown;
  /**
   * Returns equal results for equal values, with references in place of values; undefined means that signatures leave
   * it out.
   */
  sign(value: Value, references: Disclosure['references']): unknown;
  /** Returns the value's part of a manifest's digest; by default the value. */
  digest?(value: Value): unknown;

  keep(value: Value, concealment: Concealment): Kept | undefined;
  isKept(json: unknown): boolean;
  /** Restores a kept value, or returns the text whose value is not kept. */
  restore(kept: Kept, reveal: Reveal): Result<Value, ConcealedText>;

  /** Returns the aliases that a kept value is about. */
  namedAliases?(kept: Kept): readonly KeptText[];

  encode(value: Value): unknown;
  /** Reads the field of an answer; throws a DecodeError if it does not match the specification. */
  decode(json: Json, name: string): Value;

  /** Reads a manifest's value; undefined means that it is wrong, which is reported. */
  read(node: Node, loading: Loading): Value | undefined;
  /** Writes a live value into a manifest. */
  write(value: Value, show: ShowForward): YamlValue;
}

/**
 * The data needed to keep texts in the history: a value behind a reference is kept as the reference with a
 * fingerprint.
 */
export interface Concealment {
  readonly references: References;
  /** Returns the keyed fingerprint of a value. */
  readonly print: (value: string) => string;
}

/** Returns a kept text's original, or the text whose value is not kept. */
export type Reveal = (text: KeptText) => Result<string, ConcealedText>;

/** Returns the keyed fingerprint of a text; null means that there is no key, so concealed texts are not recognised. */
export type Print = ((text: string) => string) | null;

/** True if a live value may be the one that was kept. */
export function isStill<Value, Kept>(
  codec: Codec<Value, Kept>,
  kept: Kept,
  { live, print }: { readonly live: Value; readonly print: Print },
): boolean {
  const texts = textsIn(live);
  const restored = codec.restore(kept, (text) => {
    if (typeof text === 'string') return succeed(text);
    const value = texts.find((candidate) => print?.(candidate) === text.print);
    return value === undefined ? fail(text) : succeed(value);
  });
  if (!restored.ok) return false;
  return codec.showsAs?.(restored.value, live) ?? codec.same(restored.value, live);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export function isKeptText(json: unknown): json is KeptText {
  if (typeof json !== 'object' || json === null) return typeof json === 'string';
  return (
    'shown' in json && typeof json.shown === 'string' && 'print' in json && typeof json.print === 'string'
  );
}
