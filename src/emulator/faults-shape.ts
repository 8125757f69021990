import {
  anything,
  flag,
  listOf,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  taggedBy,
  text,
  wholeNumber,
  type Shape,
} from './shape.ts';

const words = text();
const when = oneOf('before', 'after');
const milliseconds = number((value) => (value >= 0 ? null : 'must not be negative'));
const integer = number((value) => (Number.isInteger(value) ? null : 'must be a whole number'));
const kind = words;

const MATCH = object(
  {},
  {
    version: oneOf('v3', 'v4'),
    method: text((value) => (/^[A-Z]+$/.test(value) ? null : 'must be a method such as "GET"')),
    endpoint: text((value) => (value.startsWith('/') ? null : 'must be a route template such as "/domains"')),
    path: text(regexProblem),
    nth: wholeNumber(1),
    times: (value) => (value === 'always' ? [] : wholeNumber(1)(value)),
  },
);

const ACTION = taggedBy('kind', {
  status: object(
    { kind, code: number((value) => (value >= 200 && value <= 599 ? null : 'must be from 200 to 599')) },
    { body: anything, headers: mapOf(words), when },
  ),
  drop: object({ kind }, { when }),
  delay: object({ kind, ms: milliseconds }, { when }),
  drip: object({ kind, ms: milliseconds }, { chunkBytes: wholeNumber(1) }),
  truncate: object({ kind, bytes: wholeNumber(0) }),
  flood: object({ kind, bytes: wholeNumber(0) }),
  body: object({ kind, body: words }, { contentType: words }),
  headers: object({ kind, set: mapOf(nullable(words)) }),
  edit: object({
    kind,
    request: object(
      {
        method: words,
        path: text((value) => (/^\/v[34]\//.test(value) ? null : 'must start with /v4/ or /v3/')),
      },
      { body: anything },
    ),
  }),
  'fail-items': object(
    { kind },
    {
      items: listOf(
        object({ index: wholeNumber(0) }, { message: words, errors: mapOf(listOf(words)), applied: flag }),
      ),
      lies: listOf(
        oneOf(
          'shuffled',
          'repeated-index',
          'index-out-of-range',
          'index-as-string',
          'wrong-counts',
          'in-both',
          'in-neither',
        ),
      ),
    },
  ),
  listing: object(
    { kind },
    {
      shift: integer,
      total: integer,
      duplicate: wholeNumber(0),
      missing: wholeNumber(0),
      limit: wholeNumber(1),
      empty: flag,
      ids: oneOf('numbers', 'strings'),
      set: mapOf(anything),
      unset: listOf(words),
    },
  ),
});

/** A list of `Fault`, without those edits that are functions. */
export const FAULTS: Shape = listOf(object({ match: MATCH, do: ACTION }));

function regexProblem(source: string): string | null {
  try {
    void new RegExp(source, 'u');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
