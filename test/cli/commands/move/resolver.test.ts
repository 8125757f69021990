import { expect, test } from 'vitest';
import { resolverSettings } from '../../../../src/cli/commands/move/resolver.ts';

test.each([
  ['192.0.2.1', 53, 443],
  ['192.0.2.1:5353', 53, 443],
  ['127.0.0.53', 53, 443],
  ['[::1]:53', 53, 443],
  ['127.0.0.1:5353', 5353, 5353],
  ['[::1]:5353', 5353, 5353],
])(
  'with the resolver %s: zone servers on port %i, policy files on port %i',
  (given, serverPort, policyPort) => {
    expect(resolverSettings(given)).toMatchObject({ serverPort, policyPort });
  },
);
