import { object, oneOf, wholeNumber, type Shape } from './shape.ts';
import type { Switches } from './switches.ts';

const status: Shape = wholeNumber(400);

const SHAPES: Readonly<Record<keyof Switches, Shape>> = {
  catchAllOnCreate: oneOf('both', 'v3', 'v4', 'none'),
  aliasNameCase: oneOf('insensitive', 'sensitive', 'lowered'),
  aliasesLimitPer: oneOf('account', 'domain'),
  rulesLimitPer: oneOf('account', 'domain'),
  rankDigits: oneOf(0, 1, 3, 'all'),
  existingRuleId: oneOf('refuse', 'success', 'overwrite', 'second'),
  ruleIdScope: oneOf('domain', 'account'),
  equalRanks: oneOf('created', 'created-reversed', 'id'),
  nullOnUpdate: oneOf('clear', 'ignore', 'refuse'),
  leftOutOnUpdate: oneOf('reset', 'keep'),
  ownDomainForward: oneOf('allow', 'refuse'),
  forwardEcho: oneOf('as-sent', 'compact', 'spaced', 'reversed'),
  unknownStatus: status,
  unknownRuleStatus: status,
  unguardedDeleteAllStatus: status,
  overLimitStatus: status,
  freeBatchCreate: oneOf('refuse-aliases', 'refuse-all', 'allow'),
  oversizedBatchStatus: status,
  unreadableParameters: oneOf('refuse', 'ignore'),
  limitOverMaximum: oneOf('clamp', 'refuse'),
  unknownFields: oneOf('ignore', 'refuse'),
  passwordOnUpdate: oneOf('required', 'optional'),
  lockedAccount: oneOf('refuse-writes', 'allow'),
  dnsOnCreate: oneOf('missing', 'valid'),
  rateLimitHeaders: oneOf('sent', 'omitted'),
  v3AccountShape: oneOf('v3', 'v4'),
  v3AliasSegment: oneOf('name-first', 'id-first'),
  v3RuleTimes: oneOf('seconds', 'milliseconds'),
  v3DeleteAllAnswer: oneOf('count', 'success'),
  v3MinimumLimit: wholeNumber(1),
  logCursor: oneOf('next', 'last'),
  unknownLogCursor: oneOf('refuse', 'first-page', 'empty'),
  aliasLogs: oneOf('taken', 'addressed'),
  v3LogPageSize: wholeNumber(1),
  v3LogCursor: oneOf('sent', 'omitted'),
  v3LogShape: oneOf('wrapped', 'bare'),
  v3LogCount: oneOf('total', 'count'),
  v3SearchMaximum: (value) => (value === 'all' ? [] : wholeNumber(1)(value)),
  logsPer: oneOf('destination', 'message'),
  discardedMail: oneOf('queued', 'delivered', 'unlogged'),
  regexAliasOrder: oneOf('created', 'name'),
  ruleRegexMatch: oneOf('anywhere', 'whole'),
  rulePlusAddressing: oneOf('base', 'exact'),
  unverifiedDomain: oneOf('deliver', 'refuse'),
};

/** Some of the switches. */
export const SWITCHES: Shape = object({}, SHAPES);
