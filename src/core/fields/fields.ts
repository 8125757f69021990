import { DISCLOSE_ALL, type Disclosure, type Destination, decodeForward } from '../model/destinations.ts';
import type { ApiVersion } from '../model/endpoints.ts';
import { keptText, type ConcealedText } from '../model/history/entries.ts';
import { succeed, type Result } from '../model/result.ts';
import { isStill, type Codec, type Concealment, type Print, type Reveal } from './codec.ts';
import type { Json } from './json.ts';

/** One field of a kind. All that any stage does with it follows from its row. */
export interface FieldRow<Value = unknown, Kept = unknown> {
  readonly codec: Codec<Value, Kept>;
  /** The generation of the API that alone has it; by default both have it. */
  readonly only?: ApiVersion;
  /** True if the manifest may leave it out, and then leaves it alone. */
  readonly optional?: true;
  /** The value that it has where the manifest leaves it out. */
  readonly fallback?: Value;
  /** True if no manifest states it. */
  readonly derived?: true;
  /** True if it decides where mail goes. */
  readonly routes?: true;
  /** True if the request that adds an item does not take it, so that an update has to send it. */
  readonly afterAdding?: true;
}

/** The fields of a kind, in a fixed order. */
export type FieldRows = Readonly<Record<string, FieldRow>>;

/** The values of an item, by the names of their rows; one that is missing is not managed, or not known. */
export type Fields = Readonly<Record<string, unknown>>;

export type FieldsOf<R extends FieldRows> = {
  readonly [F in keyof R]: ReturnType<R[F]['codec']['decode']>;
};

/** The same as the history keeps them. */
export type KeptFieldsOf<R extends FieldRows> = {
  readonly [F in keyof R]: Exclude<ReturnType<R[F]['codec']['keep']>, undefined>;
};

/** True if nobody can read one of the fields. */
export function hasSecret(rows: FieldRows): boolean {
  return Object.values(rows).some(({ codec }) => codec.isSecret);
}

/** True if one of the fields shows where mail or events go. */
export function hasDestination(rows: FieldRows): boolean {
  return Object.values(rows).some(({ codec }) => codec.isDestination);
}

/** Every destination among the fields of items, some of them more than once. */
export function* destinationsOf(rows: FieldRows, items: Iterable<object>): Generator<Destination> {
  const names = Object.keys(rows).filter((name) => rows[name]?.codec.isDestination);
  for (const item of items) {
    for (const name of names) {
      const value = valueIn(item, name) as readonly Destination[] | string | null | undefined;
      yield* typeof value === 'object' && value !== null ? value : decodeForward(value ?? '');
    }
  }
}

/** The fields alone, of something that has more. */
export function pickFields<State extends object>(rows: FieldRows, from: State): State {
  return collect(rows, from, (_, value) => value) as State;
}

/** Names of the fields that an item has, as plans show them. */
export function fieldNames(rows: FieldRows, state: object): readonly string[] {
  return eachField(rows, state).flatMap(({ name, row, value }) => row.codec.parts?.(value) ?? [name]);
}

/** Names of the wanted fields that are otherwise in another state, as plans show them. */
export function differingFields(rows: FieldRows, wanted: object, live: object): readonly string[] {
  return differing(rows, wanted, live).flatMap(({ name, row: { codec }, value }) => {
    const withLive = (part: string): unknown => ({
      ...(value as object),
      [part]: valueIn(valueIn(live, name) ?? {}, part),
    });
    return codec.parts?.(value).filter((part) => !codec.same(value, withLive(part))) ?? [name];
  });
}

/** Names of the rows whose values differ. */
export function differingRows(rows: FieldRows, wanted: object, live: object): readonly string[] {
  return differing(rows, wanted, live).map(({ name }) => name);
}

function differing(rows: FieldRows, wanted: object, live: object): readonly Field[] {
  return eachField(rows, wanted).filter(
    ({ name, row, value }) => !row.codec.same(value, valueIn(live, name)),
  );
}

/** True if an item shows every field as it was sent. */
export function showsFields(rows: FieldRows, sent: object, live: object): boolean {
  return differing(rows, sent, live).length === 0;
}

/** The fields under the API's names, as they may be shown. */
export type ShownFields = Readonly<Record<string, unknown>>;

export function showFields(rows: FieldRows, state: object, disclosure: Disclosure): ShownFields {
  const shown: Record<string, unknown> = {};
  for (const { name, row, value } of eachField(rows, state)) {
    const own = row.codec.show(value, disclosure);
    const parts = row.codec.parts?.(value);
    if (parts === undefined) shown[name] = own;
    else for (const part of parts) shown[part] = valueIn(own as object, part);
  }
  return withoutUndefined(shown);
}

/** What signatures are made of, by row. */
export function signFields(rows: FieldRows, state: object, references: Disclosure['references']): Fields {
  return collect(rows, state, (codec, value) => codec.sign(value, references));
}

/** What the digest of a manifest has of an entry. */
export function digestFields(rows: FieldRows, entry: object): readonly unknown[] {
  return eachField(rows, entry).map(({ row: { codec }, value }) => codec.digest?.(value) ?? value);
}

export function keepFields(rows: FieldRows, state: object, concealment: Concealment): Fields {
  return collect(rows, state, (codec, value) => codec.keep(value, concealment));
}

/** True if fields of a line of the history are as some version of fwdsync kept them. */
export function areKept(rows: FieldRows, kept: Fields): boolean {
  return Object.entries(rows).every(([name, { codec, optional }]) =>
    kept[name] === undefined && optional === true ? true : codec.isKept(kept[name]),
  );
}

/** The fields as they were, or the text whose value is not kept. */
export function restoreFields(rows: FieldRows, kept: object, reveal: Reveal): Result<Fields, ConcealedText> {
  const restored: Record<string, unknown> = {};
  for (const { name, row, value } of eachField(rows, kept)) {
    const was = row.codec.restore(value, reveal);
    if (!was.ok) return was;
    restored[name] = was.value;
  }
  return succeed(restored);
}

/** Names of the aliases whose mail an item is about, as they may be shown. */
export function namedAliases(rows: FieldRows, kept: object): readonly string[] {
  return eachField(rows, kept).flatMap(
    ({ row, value }) => row.codec.namedAliases?.(value).map(keptText) ?? [],
  );
}

/** Kept fields as they may be shown; values behind references are kept as those. */
export function showKept(rows: FieldRows, kept: object, mask: Disclosure['mask']): ShownFields {
  const restored = restoreFields(rows, kept, (text) => succeed(keptText(text)));
  return restored.ok ? showFields(rows, restored.value, { ...DISCLOSE_ALL, mask }) : {};
}

/** True if a live item may have the fields that were kept. */
export function areStill(rows: FieldRows, kept: object, live: object, print: Print): boolean {
  return eachField(rows, kept).every(({ name, row, value }) =>
    isStill(row.codec, value, { live: valueIn(live, name), print }),
  );
}

/** The fields of a request's body. */
export function encodeFields(rows: FieldRows, state: object): Json {
  return collect(rows, state, (codec, value) => codec.encode(value));
}

/** The fields of an answer; one of a single generation is left out where it is missing. */
export function decodeFields<R extends FieldRows>(rows: R, json: Json): FieldsOf<R> {
  const decoded: Record<string, unknown> = {};
  for (const [name, { codec, only }] of Object.entries(rows)) {
    if (only === undefined || json[name] !== undefined) decoded[name] = codec.decode(json, name);
  }
  return decoded as FieldsOf<R>;
}

interface Field {
  readonly name: string;
  readonly row: FieldRow;
  readonly value: unknown;
}

/** The fields that an item has, in the order of their rows. */
function eachField(rows: FieldRows, state: object): readonly Field[] {
  const fields: Field[] = [];
  for (const [name, row] of Object.entries(rows)) {
    const value = valueIn(state, name);
    if (value !== undefined) fields.push({ name, row, value });
  }
  return fields;
}

function valueIn(state: object, name: string): unknown {
  return (state as Fields)[name];
}

/** What `make` makes of each field; what it makes undefined is left out. */
function collect(
  rows: FieldRows,
  state: object,
  make: (codec: Codec<unknown, unknown>, value: unknown) => unknown,
): Fields {
  const made = eachField(rows, state).map(({ name, row, value }) => [name, make(row.codec, value)] as const);
  return withoutUndefined(Object.fromEntries(made));
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
