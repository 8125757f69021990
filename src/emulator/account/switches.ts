/**
 * What the API documents leave open. A client must survive either answer, so each question is a switch; all are plain
 * data and may be changed while the emulator runs, except those that shape the indexes, which the control interface
 * builds anew: `aliasNameCase`, `nameOrder`, `equalRanks`, `aliasLogs`.
 */
export interface Switches {
  /** Which versions add a `*` alias that forwards to the account's email when a domain is added. */
  catchAllOnCreate: 'both' | 'v3' | 'v4' | 'none';
  /** `lowered`: as insensitive, and the service stores the name in lower case. */
  aliasNameCase: 'insensitive' | 'sensitive' | 'lowered';
  /** What listings of aliases compare: names in lower case, or as they are written; by UTF-16 code units. */
  nameOrder: 'lower-case' | 'as-written';
  /** What `aliases_limit` counts over. */
  aliasesLimitPer: 'account' | 'domain';
  /** What `rules_limit` counts over. */
  rulesLimitPer: 'account' | 'domain';
  /** Decimal digits that `rank` keeps. */
  rankDigits: 0 | 1 | 3 | 'all';
  /** What answers POST of a rule whose id exists. `second`: another rule with an id of the service's. */
  existingRuleId: 'refuse' | 'success' | 'overwrite' | 'second';
  /** Whether an id that exists in another domain of the account counts as existing. */
  ruleIdScope: 'domain' | 'account';
  /** Order in listings of rules that have one rank. */
  equalRanks: 'created' | 'created-reversed' | 'id';
  /** `notification_email` or `whitelabel` set to null through PUT or POST. */
  nullOnUpdate: 'clear' | 'ignore' | 'refuse';
  /** `notification_email` or `whitelabel` left out of PUT. */
  leftOutOnUpdate: 'reset' | 'keep';
  /** Forward or notification addresses on the domain itself. */
  ownDomainForward: 'allow' | 'refuse';
  /** How `forward` comes back. */
  forwardEcho: 'as-sent' | 'compact' | 'spaced' | 'reversed' | 'lower-case';
  /** By how many requests the listings of domains, aliases, rules and credentials are late, page by page. */
  listingLag: number;
  /** Status of an unknown domain, alias or credential. */
  unknownStatus: number;
  /** Status of an unknown rule. */
  unknownRuleStatus: number;
  /** What a delete-all without `all=true` does. */
  unguardedDeleteAll: 'refuse' | 'delete';
  /** Status of a delete-all without `all=true` that is refused. */
  unguardedDeleteAllStatus: number;
  /** Status of a request that a plan limit refuses. */
  overLimitStatus: number;
  /** Which batch creates need a paid plan. */
  freeBatchCreate: 'refuse-aliases' | 'refuse-all' | 'allow';
  /** Status of a batch create that needs a paid plan. */
  freeBatchCreateStatus: number;
  /** A batch without items; 400 when it is refused. */
  emptyBatch: 'success' | 'refuse';
  /** PUT of a rule without `config`. */
  ruleConfigOnUpdate: 'required' | 'optional';
  /** Status of a batch with more than 500 items. */
  oversizedBatchStatus: number;
  /** Query parameters of a GET whose value cannot be parsed, such as `order=best`. */
  unreadableParameters: 'refuse' | 'ignore';
  /** Query parameters of a GET that are empty, such as `query=`. */
  emptyParameters: 'ignore' | 'refuse';
  /** A `page` after the last one; 404 when it is refused. */
  pageAfterEnd: 'empty' | 'refuse';
  /** A `limit` over the maximum. */
  limitOverMaximum: 'clamp' | 'refuse';
  /** Body fields that the documents do not name. */
  unknownFields: 'ignore' | 'refuse';
  /** PUT of a credential without `password`. */
  passwordOnUpdate: 'required' | 'optional';
  /** Writes to an account whose `locked` is set. */
  lockedAccount: 'refuse-writes' | 'allow';
  /** DNS of a domain that is added. */
  dnsOnCreate: 'missing' | 'valid';
  /** Whether answers carry the headers of the rate limit. */
  rateLimitHeaders: 'sent' | 'omitted';
  /** Which of the two documented shapes GET /account of v3 answers. */
  v3AccountShape: 'v3' | 'v4';
  /** What a path segment of v3 that is the name of one alias and the id of another stands for. */
  v3AliasSegment: 'name-first' | 'id-first';
  /** Whether batches of v3 that update or delete aliases know the decimal ids that its listings show. */
  v3ListedIdsInBatches: 'known' | 'unknown';
  /** Unit of `created` of v3's rules. */
  v3RuleTimes: 'seconds' | 'milliseconds';
  /** Whether the domains of v3 have `routing_engine`. */
  v3RoutingEngine: 'shown' | 'omitted';
  /** What answers a delete-all of v3: `{ deleted, success }` or `{ success }`. */
  v3DeleteAllAnswer: 'count' | 'success';
  /** The smallest `limit` that v3's listings take. */
  v3MinimumLimit: number;
  /** What `next_cursor` of v4 names: the first entry of the next page, or the last of this one. */
  logCursor: 'next' | 'last';
  /** A cursor that no log has (any more). */
  unknownLogCursor: 'refuse' | 'first-page' | 'empty';
  /** What `after` and `before` are compared with: times as v4 shows them, or as they are. */
  logTimes: 'seconds' | 'milliseconds';
  /** How many words of its query a search of v4 must find in an entry. */
  logSearchWords: 'every' | 'any';
  /** Typing errors that a search forgives: one from 4 letters on and two from 8, or one from 4. */
  logSearchTypos: 'by-length' | 'one';
  /** Which entries the log of an alias holds: mail that the alias took, or mail addressed to its name. */
  aliasLogs: 'taken' | 'addressed';
  /** How many entries a page of logs has on v3. */
  v3LogPageSize: number;
  /** Whether listings of logs on v3 answer `next_cursor`; without it, clients pass the id of the last entry. */
  v3LogCursor: 'sent' | 'omitted';
  /** One log entry of v3: under `log`, or unwrapped. */
  v3LogShape: 'wrapped' | 'bare';
  /** Under which name v3 counts logs. */
  v3LogCount: 'total' | 'count';
  /** How many entries a search of v3 answers at most. */
  v3SearchMaximum: number | 'all';
  /** How many log entries a mail to several destinations leaves. `message`: one, which names the first of them. */
  logsPer: 'destination' | 'message';
  /** What the log says of mail that is discarded: `delivered` is queued first, too. */
  discardedMail: 'queued' | 'delivered' | 'unlogged';
  /** Which of several regular expressions among the aliases matches a message: the oldest, or the first by name. */
  regexAliasOrder: 'created' | 'name';
  /** Whether the pattern of a rule must match a scope from end to end. */
  ruleRegexMatch: 'anywhere' | 'whole';
  /** Whether an alias rule matches its name with a plus label too. */
  rulePlusAddressing: 'base' | 'exact';
  /** Whether `$1` in the forward of a regex rule stands for what the group matched. */
  ruleCaptures: 'filled' | 'as-written';
  /** Whether case counts in regular expressions among the aliases, unless it counts in names anyway. */
  aliasPatternCase: 'insensitive' | 'sensitive';
  /** Mail to a banned domain. */
  bannedDomain: 'refuse' | 'deliver';
  /** Mail to a domain whose routing is disabled. */
  disabledRouting: 'refuse' | 'discard';
  /** Mail to a domain whose MX records were never found. */
  unverifiedDomain: 'deliver' | 'refuse';
  /** As whom mail may be sent with an SMTP credential: its own address, any of its domain, or any at all. */
  sendAs: 'own' | 'domain' | 'any';
}

export const DEFAULT_SWITCHES: Readonly<Switches> = {
  catchAllOnCreate: 'both',
  aliasNameCase: 'insensitive',
  nameOrder: 'lower-case',
  aliasesLimitPer: 'account',
  rulesLimitPer: 'account',
  rankDigits: 'all',
  existingRuleId: 'refuse',
  ruleIdScope: 'domain',
  equalRanks: 'created',
  nullOnUpdate: 'clear',
  leftOutOnUpdate: 'reset',
  ownDomainForward: 'allow',
  forwardEcho: 'as-sent',
  listingLag: 0,
  unknownStatus: 404,
  unknownRuleStatus: 404,
  unguardedDeleteAll: 'refuse',
  unguardedDeleteAllStatus: 400,
  overLimitStatus: 400,
  freeBatchCreate: 'refuse-aliases',
  freeBatchCreateStatus: 403,
  emptyBatch: 'success',
  ruleConfigOnUpdate: 'required',
  oversizedBatchStatus: 400,
  unreadableParameters: 'refuse',
  emptyParameters: 'ignore',
  pageAfterEnd: 'empty',
  limitOverMaximum: 'clamp',
  unknownFields: 'ignore',
  passwordOnUpdate: 'required',
  lockedAccount: 'refuse-writes',
  dnsOnCreate: 'missing',
  rateLimitHeaders: 'sent',
  v3AccountShape: 'v3',
  v3AliasSegment: 'name-first',
  v3ListedIdsInBatches: 'known',
  v3RuleTimes: 'seconds',
  v3RoutingEngine: 'shown',
  v3DeleteAllAnswer: 'count',
  v3MinimumLimit: 1,
  logCursor: 'next',
  unknownLogCursor: 'refuse',
  logTimes: 'seconds',
  logSearchWords: 'every',
  logSearchTypos: 'by-length',
  aliasLogs: 'taken',
  v3LogPageSize: 100,
  v3LogCursor: 'sent',
  v3LogShape: 'wrapped',
  v3LogCount: 'total',
  v3SearchMaximum: 'all',
  logsPer: 'destination',
  discardedMail: 'queued',
  regexAliasOrder: 'created',
  ruleRegexMatch: 'anywhere',
  rulePlusAddressing: 'base',
  ruleCaptures: 'filled',
  aliasPatternCase: 'insensitive',
  bannedDomain: 'refuse',
  disabledRouting: 'refuse',
  unverifiedDomain: 'deliver',
  sendAs: 'domain',
};
