import type { BatchLie, FaultAction } from '../../../src/emulator/faults/faults.ts';

/** Faults of one request: of the emulator, or of the connection. */
export type Mishap = readonly (FaultAction | WireAction)[];

export type WireAction =
  /** No answer arrives until the client gives up; the request is lost or was processed. */
  | { readonly kind: 'silence'; readonly when: 'before' | 'after' }
  /** The client gives up, and this many milliseconds later the request is processed anyway. */
  | { readonly kind: 'late'; readonly ms: number }
  /** The machine's wall clock is set to another time before the request is sent; its monotonic clock continues. */
  | { readonly kind: 'clock'; readonly ms: number };

const json = (code: number, message: string): FaultAction => ({
  kind: 'status',
  code,
  body: { message, errors: {} },
});

const LIES: readonly BatchLie[] = [
  'repeated-index',
  'index-out-of-range',
  'wrong-counts',
  'in-both',
  'in-neither',
];

/** All kinds of faults, by name. Faults of a batch or a listing do not change other requests. */
export const MISHAPS: Readonly<Record<string, Mishap>> = {
  'dropped before': [{ kind: 'drop', when: 'before' }],
  'dropped after': [{ kind: 'drop', when: 'after' }],
  'silent before': [{ kind: 'silence', when: 'before' }],
  'silent after': [{ kind: 'silence', when: 'after' }],
  'processed late': [{ kind: 'late', ms: 3_000 }],
  '500 before': [json(500, 'Server error.')],
  '500 after': [{ ...json(500, 'Server error.'), when: 'after' } as FaultAction],
  '502 in HTML': [{ kind: 'status', code: 502, body: '<html>Bad gateway</html>', when: 'after' }],
  '503 before': [json(503, 'Down for maintenance.')],
  '429 with seconds': [
    { ...json(429, 'Too many requests.'), headers: { 'Retry-After': '3' } } as FaultAction,
  ],
  '429 with nothing': [
    json(429, 'Too many requests.'),
    { kind: 'headers', set: { 'X-RateLimit-Reset': null, 'X-RateLimit-Remaining': null } },
  ],
  '400': [json(400, 'Not valid.')],
  '401': [json(401, 'Invalid API key.')],
  '403': [json(403, 'Your plan does not allow this.')],
  '404': [json(404, 'not found')],
  '409': [json(409, 'Conflict.')],
  redirect: [{ kind: 'status', code: 302, headers: { location: 'https://elsewhere.example/' }, body: '' }],
  truncated: [{ kind: 'truncate', bytes: 20 }],
  flood: [{ kind: 'flood', bytes: 300_000 }],
  'empty body': [{ kind: 'body', body: '' }],
  'empty object': [{ kind: 'body', body: '{}' }],
  'empty list': [{ kind: 'body', body: '[]' }],
  'null body': [{ kind: 'body', body: 'null' }],
  'HTML body': [{ kind: 'body', body: '<html>Hello</html>', contentType: 'text/html' }],
  'half a JSON': [{ kind: 'body', body: '{"aliases": [{"id": "1", "al' }],
  'absurd headers': [
    { kind: 'headers', set: { 'X-RateLimit-Remaining': '-5', 'X-RateLimit-Reset': '9e99', Date: 'never' } },
  ],
  'no headers': [
    {
      kind: 'headers',
      set: { 'X-RateLimit-Limit': null, 'X-RateLimit-Remaining': null, 'X-RateLimit-Reset': null },
    },
  ],
  'clock an hour back': [{ kind: 'clock', ms: -3_600_000 }],
  'clock an hour ahead': [{ kind: 'clock', ms: 3_600_000 }],
  'used up': [{ kind: 'headers', set: { 'X-RateLimit-Remaining': '0' } }],
  'listing: item twice': [{ kind: 'listing', duplicate: 0 }],
  'listing: item missing': [{ kind: 'listing', missing: 0 }],
  'listing: first item pushed out': [{ kind: 'listing', shift: 1 }],
  'listing: total too high': [{ kind: 'listing', total: 1 }],
  'listing: total too low': [{ kind: 'listing', total: -1 }],
  'listing: limit ignored': [{ kind: 'listing', limit: 1 }],
  'listing: empty': [{ kind: 'listing', empty: true }],
  'first item refused': [{ kind: 'fail-items', items: [{ index: 0 }] }],
  'second item applied and refused': [{ kind: 'fail-items', items: [{ index: 1, applied: true }] }],
  ...Object.fromEntries(
    LIES.map((lie) => [`lie: ${lie}`, [{ kind: 'fail-items', items: [{ index: 1 }], lies: [lie] }]]),
  ),
};

export const KINDS: readonly string[] = Object.keys(MISHAPS);
