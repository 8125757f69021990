import { DISCLOSE_ALL, type Disclosure, type Destination, decodeForward } from '../model/destinations.ts';
import type { ApiVersion } from '../model/endpoints.ts';
import { keptText, type ConcealedText } from '../model/history/entries.ts';
import { succeed, type Result } from '../model/result.ts';
import { isStill, type Codec, type Concealment, type Print, type Reveal } from './codec.ts';
import type { Json } from './json.ts';

/** One field of a kind. Every stage derives its work from the row. */
export interface FieldRow<Value = unknown, Kept = unknown> {
  readonly codec: Codec<Value, Kept>;
  /** The only API generation that has the field; by default both have it. */
  readonly only?: ApiVersion;
  /** True if the manifest may leave the field out, which leaves it unmanaged. */
  readonly optional?: true;
  /** The value of a field that the manifest leaves out. */
  readonly fallback?: Value;
  /** True if a manifest never states the field. */
  readonly derived?: true;
  /** True if the field decides where mail goes. */
  readonly routes?: true;
  /** True if the value is a destination that mail or events are sent to. */
  readonly receives?: true;
  /** True if the request that adds an item does not take the field, so that an update must send it. */
  readonly afterAdding?: true;
}

/** The fields of a kind, in a fixed order. */
export type FieldRows = Readonly<Record<string, FieldRow>>;

/** The values of an item, by the names of their rows; a missing value is not managed or not known. */
export type Fields = Readonly<Record<string, unknown>>;

export type FieldsOf<R extends FieldRows> = {
  readonly [F in keyof R]: ReturnType<R[F]['codec']['decode']>;
};

/** The fields' values as the history keeps them. */
export type KeptFieldsOf<R extends FieldRows> = {
  readonly [F in keyof R]: Exclude<ReturnType<R[F]['codec']['keep']>, undefined>;
};

/** True if one of the fields cannot be read back. */
export function hasSecret(rows: FieldRows): boolean {
  return Object.values(rows).some(({ codec }) => codec.isSecret);
}

/** True if one of the fields shows where mail or events go. */
export function hasDestination(rows: FieldRows): boolean {
  return Object.values(rows).some(({ codec }) => codec.isDestination);
}

/** Yields every destination among the fields of items; some appear more than once. */
export function* destinationsOf(rows: FieldRows, items: Iterable<object>): Generator<Destination> {
  const names = Object.keys(rows).filter((name) => rows[name]?.codec.isDestination);
  for (const item of items) {
    for (const name of names) {
      const value = valueIn(item, name) as readonly Destination[] | string | null | undefined;
      yield* typeof value === 'object' && value !== null ? value : decodeForward(value ?? '');
    }
  }
}

/** Returns only the fields of an object. */
export function pickFields<State extends object>(rows: FieldRows, from: State): State {
  return collect(rows, from, (_, value) => value) as State;
}

/** Returns the names of an item's fields, as plans show them. */
export function fieldNames(rows: FieldRows, state: object): readonly string[] {
  return eachField(rows, state).flatMap(({ name, row, value }) => row.codec.parts?.(value) ?? [name]);
}

/** Returns the names of the wanted fields that differ in the live state, as plans show them. */
export function differingFields(rows: FieldRows, wanted: object, live: object): readonly string[] {
  return differing(rows, wanted, live).flatMap(({ name, row: { codec }, value }) => {
    const withLive = (part: string): unknown => ({
      ...(value as object),
      [part]: valueIn(valueIn(live, name) ?? {}, part),
    });
    return codec.parts?.(value).filter((part) => !codec.same(value, withLive(part))) ?? [name];
  });
}

/** Returns the names of the rows whose values differ. */
export function differingRows(rows: FieldRows, wanted: object, live: object): readonly string[] {
  return differing(rows, wanted, live).map(({ name }) => name);
}

function differing(rows: FieldRows, wanted: object, live: object): readonly Field[] {
  const fields: Field[] = [];
  for (const name in rows) {
    const row = rows[name] as FieldRow;
    const value = valueIn(wanted, name);
    if (value !== undefined && !row.codec.same(value, valueIn(live, name))) fields.push({ name, row, value });
  }
  return fields;
}

/** True if an item shows every field as it was sent. */
export function showsFields(rows: FieldRows, sent: object, live: object): boolean {
  return differing(rows, sent, live).length === 0;
}

/** Fields under the API's names, as they may be shown. */
export type ShownFields = Readonly<Record<string, unknown>>;

export function showFields(rows: FieldRows, state: object, disclosure: Disclosure): ShownFields {
  const shown: Record<string, unknown> = {};
  for (const { name, row, value } of eachField(rows, state)) {
    const own = row.codec.show(value, disclosure);
    const parts = row.codec.parts?.(value);
    if (parts === undefined) shown[name] = own;
    else for (const part of parts) shown[part] = valueIn(own as object, part);
  }
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

/** Returns the signed fields, by row. */
export function signFields(rows: FieldRows, state: object, references: Disclosure['references']): Fields {
  return collect(rows, state, (codec, value) => codec.sign(value, references));
}

/** Returns an entry's part of a manifest's digest. */
export function digestFields(rows: FieldRows, entry: object): readonly unknown[] {
  return eachField(rows, entry).map(({ row: { codec }, value }) => codec.digest?.(value) ?? value);
}

export function keepFields(rows: FieldRows, state: object, concealment: Concealment): Fields {
  return collect(rows, state, (codec, value) => codec.keep(value, concealment));
}

/** True if the fields of a history line have a form that some version of fwdsync kept. */
export function areKept(rows: FieldRows, kept: Fields): boolean {
  return Object.entries(rows).every(([name, { codec, optional }]) =>
    kept[name] === undefined && optional === true ? true : codec.isKept(kept[name]),
  );
}

/** Restores kept fields, or returns the text whose value is not kept. */
export function restoreFields(rows: FieldRows, kept: object, reveal: Reveal): Result<Fields, ConcealedText> {
  const restored: Record<string, unknown> = {};
  for (const { name, row, value } of eachField(rows, kept)) {
    const was = row.codec.restore(value, reveal);
    if (!was.ok) return was;
    restored[name] = was.value;
  }
  return succeed(restored);
}

/** Returns the names of the aliases whose mail an item is about, as they may be shown. */
export function namedAliases(rows: FieldRows, kept: object): readonly string[] {
  return eachField(rows, kept).flatMap(
    ({ row, value }) => row.codec.namedAliases?.(value).map(keptText) ?? [],
  );
}

/** Shows kept fields; values behind references are kept as references. */
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

/** Returns the fields of a request's body. */
export function encodeFields(rows: FieldRows, state: object): Json {
  return collect(rows, state, (codec, value) => codec.encode(value));
}

/** Decodes the fields of an answer. A missing field is left out if only one generation has it. */
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

/** Returns an item's fields, in the order of their rows. */
function eachField(rows: FieldRows, state: object): readonly Field[] {
  const fields: Field[] = [];
  for (const name in rows) {
    const value = valueIn(state, name);
    if (value !== undefined) fields.push({ name, row: rows[name] as FieldRow, value });
  }
  return fields;
}

function valueIn(state: object, name: string): unknown {
  return (state as Fields)[name];
}

/** Applies `make` to each field; undefined results are left out. */
function collect(
  rows: FieldRows,
  state: object,
  make: (codec: Codec<unknown, unknown>, value: unknown) => unknown,
): Fields {
  const made: Record<string, unknown> = {};
  for (const { name, row, value } of eachField(rows, state)) {
    const own = make(row.codec, value);
    if (own !== undefined) made[name] = own;
  }
  return made;
}
