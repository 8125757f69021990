import type { Disclosure, References } from '../model/destinations.ts';
import type { ConcealedText, KeptText } from '../model/history/entries.ts';
import type { ShowForward, YamlValue } from '../model/manifest/manifest-document.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import type { Node } from '../manifest/read/node.ts';
import type { Loading } from '../manifest/resolve/context.ts';
import type { Json } from './json.ts';

/** Everything that depends on the type of a value alone; `Kept` is the value as the history has it. */
export interface Codec<Value, Kept = Value> {
  /** True if it shows as destinations, separated by commas. */
  readonly isDestination?: true;
  /** True if nobody can read it. */
  readonly isSecret?: true;
  /** True if a manifest writes `true` or `false`. */
  readonly isFlag?: true;
  /** True if a manifest asks for no value with the word `none`. */
  readonly hasNone?: true;
  /** True if both mean the same to the service. */
  same(a: Value, b: Value): boolean;
  /** True if the service may show the one for the other that was sent; by default those that are the same. */
  showsAs?(sent: Value, shown: Value): boolean;
  /** Names of the properties that plans show as fields of their own. */
  parts?(value: Value): readonly string[];
  /** Shows a value to people and in documents; undefined means that nobody can read it. */
  show(value: Value, disclosure: Disclosure): unknown;
  /** Equal for equal values, with references in place of values; undefined means that no signature has it. */
  sign(value: Value, references: Disclosure['references']): unknown;
  /** What the digest of a manifest has of it; by default the value. */
  digest?(value: Value): unknown;

  keep(value: Value, concealment: Concealment): Kept | undefined;
  isKept(json: unknown): boolean;
  /** The value that was kept, or the text whose value nobody has any more. */
  restore(kept: Kept, reveal: Reveal): Result<Value, ConcealedText>;

  /** Aliases that a kept value names, whose mail it is about. */
  namedAliases?(kept: Kept): readonly KeptText[];

  encode(value: Value): unknown;
  /** Reads the field of an answer; throws a DecodeError where it is not what the specification states. */
  decode(json: Json, name: string): Value;

  /** Reads what a manifest says; undefined means that it is wrong, which is reported. */
  read(node: Node, loading: Loading): Value | undefined;
  /** Writes a live value into a manifest. */
  write(value: Value, show: ShowForward): YamlValue;
}

/** How the history keeps texts: values behind references as those, with a fingerprint each. */
export interface Concealment {
  readonly references: References;
  /** Keyed fingerprint of a value. */
  readonly print: (value: string) => string;
}

/** Returns a kept text as it was, or the one whose value is not kept. */
export type Reveal = (text: KeptText) => Result<string, ConcealedText>;

/** The keyed fingerprint of a text; null means that none can be made, and nothing that is concealed is recognised. */
export type Print = ((text: string) => string) | null;

/** True if a live value may be what was kept. */
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
