import { expect, test } from 'vitest';
import type { RuleMatch } from '../../../src/core/model/resources.ts';
import { takesEverything } from '../../../src/core/routing/reach.ts';

test.each<[RuleMatch, boolean]>([
  [{ type: 'alias', alias: '*' }, true],
  [{ type: 'alias', alias: '(.*)' }, true],
  [{ type: 'alias', alias: '^(.*)$' }, true],
  // It may be a prefix: names that begin with a dot.
  [{ type: 'alias', alias: '.*' }, false],
  [{ type: 'alias', alias: '(.*' }, false],
  [{ type: 'alias', alias: '' }, false],
  [{ type: 'alias', alias: 'info' }, false],
  [{ type: 'alias', alias: 'x.*' }, false],
  [{ type: 'alias', alias: '.*x' }, false],
  [{ type: 'regex', regex: '^.*$', scopes: ['subject'] }, true],
  [{ type: 'regex', regex: 'x|.*', scopes: ['body', 'sender'] }, true],
  // A dot may not match the line breaks of a body.
  [{ type: 'regex', regex: '^.*$', scopes: ['body'] }, false],
  // If a pattern must match a whole text, this one matches empty texts only.
  [{ type: 'regex', regex: '', scopes: ['subject'] }, false],
  [{ type: 'regex', regex: '(.*', scopes: ['subject'] }, false],
  [{ type: 'regex', regex: '*', scopes: ['subject'] }, false],
  [{ type: 'regex', regex: '.*invoice.*', scopes: ['subject'] }, false],
  [{ type: 'cel', expression: ' true ' }, true],
  [{ type: 'cel', expression: 'true && false' }, false],
])('%j takes all mail: %s', (match, expected) => {
  expect(takesEverything(match)).toBe(expected);
});
