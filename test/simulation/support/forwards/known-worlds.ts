import type { Edit } from './edits.ts';
import type { ForwardsWorld } from './random-forwards.ts';

const NOTHING = { fallback: 'owner@account.example', aliases: {}, rules: [] } as const;
const UNMANAGED = { aliases: null, rules: null, prune: false, ignored: [] } as const;
const NO_EDIT: readonly Edit[] = [
  { domain: 0, forward: 'a@x.example', kind: 'rule', nth: 0, isSwitched: false },
];

/** Worlds that once broke a promise. They run before the random ones. */
export const KNOWN_WORLDS: readonly [ForwardsWorld, readonly Edit[], number][] = [
  // An address forwards back to the sender's address, and to an address that starts to deliver later.
  [
    {
      version: 'v3',
      v3RoutingEngine: 'omitted',
      managed: [
        {
          ...NOTHING,
          name: 'acme.example',
          engine: 'alias',
          aliases: { info: 'info@other.example' },
          wanted: { ...UNMANAGED, aliases: { info: 'info@relay.example' } },
        },
        {
          ...NOTHING,
          name: 'other.example',
          engine: 'alias',
          aliases: { info: 'a@x.example' },
          wanted: { ...UNMANAGED, aliases: { '*': 'a@x.example' } },
        },
      ],
      unmanaged: {
        ...NOTHING,
        name: 'relay.example',
        engine: 'alias',
        aliases: { info: 'jobs@other.example, info@acme.example' },
      },
    },
    NO_EDIT,
    0,
  ],
  // Mail is forwarded to a domain whose engine and rules are not visible. They forward it to a rule that is deleted.
  [
    {
      version: 'v3',
      v3RoutingEngine: 'omitted',
      managed: [
        {
          ...NOTHING,
          name: 'acme.example',
          engine: 'rules',
          wanted: { ...UNMANAGED, rules: [{ condition: 0, forward: 'info@relay.example', active: true }] },
        },
        {
          ...NOTHING,
          name: 'other.example',
          engine: 'rules',
          rules: [{ condition: 4, forward: 'help@other.example', active: true }],
          wanted: { ...UNMANAGED, rules: [], prune: true },
        },
      ],
      unmanaged: {
        ...NOTHING,
        name: 'relay.example',
        engine: 'rules',
        rules: [{ condition: 0, forward: 'help@other.example', active: true }],
      },
    },
    NO_EDIT,
    0,
  ],
  // A run is killed between two new rules; the one in front waits.
  [
    {
      version: 'v3',
      v3RoutingEngine: 'omitted',
      managed: [
        {
          ...NOTHING,
          name: 'acme.example',
          engine: 'rules',
          rules: [{ condition: 0, forward: 'info@acme.example', active: false }],
          wanted: {
            ...UNMANAGED,
            rules: [
              { condition: 4, forward: 'desk@other.example', active: true },
              { condition: 1, forward: 'a@x.example, anyone@relay.example', active: true },
            ],
            prune: true,
          },
        },
        {
          ...NOTHING,
          name: 'other.example',
          engine: 'rules',
          rules: [{ condition: 2, forward: 'info@acme.example', active: true }],
          wanted: { ...UNMANAGED, rules: [], prune: true },
        },
      ],
      unmanaged: { ...NOTHING, name: 'relay.example', engine: 'rules' },
    },
    [{ domain: 0, forward: 'a@x.example', kind: 'alias', name: 'info', isDeleted: false }],
    15,
  ],
];
