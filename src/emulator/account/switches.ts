/**
 * Questions that the API documents leave open. A client must survive either answer, so each question is a switch. Switches
 * are plain data and may be changed while the emulator runs. Four shape the indexes, which the control interface then
 * rebuilds: `aliasNameCase`, `nameOrder`, `equalRanks`, `aliasLogs`.
 */
export interface Switches {
  /** API versions in which adding a domain also adds a `*` alias that forwards to the account's email. */
  catchAllOnCreate: 'both' | 'v3' | 'v4' | 'none';
  /** Case in alias names. `lowered`: case does not count, and the service stores the name in lower case. */
  aliasNameCase: 'insensitive' | 'sensitive' | 'lowered';
  /** Sort key of alias listings: names in lower case, or names as written. Both sort by UTF-16 code units. */
  nameOrder: 'lower-case' | 'as-written';
  /** Scope of `aliases_limit`. */
  aliasesLimitPer: 'account' | 'domain';
  /** Scope of `rules_limit`. */
  rulesLimitPer: 'account' | 'domain';
  /** Decimal digits that `rank` keeps. */
  rankDigits: 0 | 1 | 3 | 'all';
  /** Answer to POST of a rule whose id exists. `second` adds another rule, with an id chosen by the service. */
  existingRuleId: 'refuse' | 'success' | 'overwrite' | 'second';
  /** Scope in which a rule id counts as existing. */
  ruleIdScope: 'domain' | 'account';
  /** Order in listings of rules with equal ranks. */
  equalRanks: 'created' | 'created-reversed' | 'id';
  /** Effect of `notification_email` or `whitelabel` set to null through PUT or POST. */
  nullOnUpdate: 'clear' | 'ignore' | 'refuse';
  /** Effect of leaving `notification_email` or `whitelabel` out of PUT. */
  leftOutOnUpdate: 'reset' | 'keep';
  /** Forward or notification addresses in the domain itself. */
  ownDomainForward: 'allow' | 'refuse';
  /** Form in which `forward` comes back. */
  forwardEcho: 'as-sent' | 'compact' | 'spaced' | 'reversed' | 'lower-case';
  /** Number of requests by which the listings of domains, aliases, rules and credentials lag, page by page. */
  listingLag: number;
  /** HTTP status for an unknown domain, alias or credential. */
  unknownStatus: number;
  /** HTTP status for an unknown rule. */
  unknownRuleStatus: number;
  /** Effect of a delete-all without `all=true`. */
  unguardedDeleteAll: 'refuse' | 'delete';
  /** HTTP status for a refused delete-all without `all=true`. */
  unguardedDeleteAllStatus: number;
  /** HTTP status for a request that a plan limit refuses. */
  overLimitStatus: number;
  /** Batch creates that need a paid plan. */
  freeBatchCreate: 'refuse-aliases' | 'refuse-all' | 'allow';
  /** HTTP status for a batch create that needs a paid plan. */
  freeBatchCreateStatus: number;
  /** A batch without items. `refuse` answers 400. */
  emptyBatch: 'success' | 'refuse';
  /** PUT of a rule without `config`. */
  ruleConfigOnUpdate: 'required' | 'optional';
  /** HTTP status for a batch with more than 500 items. */
  oversizedBatchStatus: number;
  /** Query parameters of a GET that cannot be parsed, such as `order=best`. */
  unreadableParameters: 'refuse' | 'ignore';
  /** Query parameters of a GET that are empty, such as `query=`. */
  emptyParameters: 'ignore' | 'refuse';
  /** A `page` after the last one. `refuse` answers 404. */
  pageAfterEnd: 'empty' | 'refuse';
  /** A `limit` over the maximum. */
  limitOverMaximum: 'clamp' | 'refuse';
  /** Body fields that the documents do not name. */
  unknownFields: 'ignore' | 'refuse';
  /** PUT of a credential without `password`. */
  passwordOnUpdate: 'required' | 'optional';
  /** Writes to an account whose `locked` is set. */
  lockedAccount: 'refuse-writes' | 'allow';
  /** DNS records of a domain when it is added. */
  dnsOnCreate: 'missing' | 'valid';
  /** The rate-limit headers of answers. */
  rateLimitHeaders: 'sent' | 'omitted';
  /** The documented shape, of two, that GET /account of v3 answers with. */
  v3AccountShape: 'v3' | 'v4';
  /** Meaning of a v3 path segment that is the name of one alias and the id of another. */
  v3AliasSegment: 'name-first' | 'id-first';
  /** The decimal ids of v3's listings, in v3 batches that update or delete aliases. */
  v3ListedIdsInBatches: 'known' | 'unknown';
  /** Unit of `created` of v3's rules. */
  v3RuleTimes: 'seconds' | 'milliseconds';
  /** `routing_engine` of v3's domains. */
  v3RoutingEngine: 'shown' | 'omitted';
  /** Answer to a delete-all of v3: `{ deleted, success }` or `{ success }`. */
  v3DeleteAllAnswer: 'count' | 'success';
  /** The smallest `limit` that v3's listings accept. */
  v3MinimumLimit: number;
  /** Meaning of v4's `next_cursor`: the first entry of the next page, or the last entry of this page. */
  logCursor: 'next' | 'last';
  /** A cursor of no log entry, or of one that is gone. */
  unknownLogCursor: 'refuse' | 'first-page' | 'empty';
  /** Precision of the times that `after` and `before` are compared with. v4 shows whole seconds. */
  logTimes: 'seconds' | 'milliseconds';
  /** Words of the query that a v4 search must find in an entry. */
  logSearchWords: 'every' | 'any';
  /**
   * Typing errors that a search forgives. `by-length`: one in words of 4 letters or more, two in words of 8 or more. `one`:
   * one in words of 4 letters or more.
   */
  logSearchTypos: 'by-length' | 'one';
  /** Entries in the log of an alias: mail that the alias took, or mail addressed to its name. */
  aliasLogs: 'taken' | 'addressed';
  /** Number of log entries per page on v3. */
  v3LogPageSize: number;
  /** `next_cursor` in v3's log listings. Without it, clients pass the id of the last entry. */
  v3LogCursor: 'sent' | 'omitted';
  /** Shape of a single v3 log entry: under `log`, or unwrapped. */
  v3LogShape: 'wrapped' | 'bare';
  /** Name of the field with v3's count of logs. */
  v3LogCount: 'total' | 'count';
  /** Maximum number of entries in the answer to a v3 search. */
  v3SearchMaximum: number | 'all';
  /** Log entries for a mail to several destinations. `message` makes one entry, which names the first destination. */
  logsPer: 'destination' | 'message';
  /** Log status of discarded mail. With `delivered`, it is queued first as well. */
  discardedMail: 'queued' | 'delivered' | 'unlogged';
  /** The regular expression alias that wins if several match a message: the oldest, or the first by name. */
  regexAliasOrder: 'created' | 'name';
  /** Match of a rule's pattern: anywhere in the scope, or from end to end. */
  ruleRegexMatch: 'anywhere' | 'whole';
  /** Match of an alias rule with plus labels. `base` ignores the label; `exact` does not. */
  rulePlusAddressing: 'base' | 'exact';
  /** A rule for names such as `sales.*`: a regular expression, or all names that begin with `sales.`. */
  ruleDotStar: 'regex' | 'prefix';
  /** `$1` in the forward of a regex rule: filled with what the group matched, or left as written. */
  ruleCaptures: 'filled' | 'as-written';
  /** Case in regular expression aliases. It has no effect if alias names are case-sensitive anyway. */
  aliasPatternCase: 'insensitive' | 'sensitive';
  /** Mail to a banned domain. */
  bannedDomain: 'refuse' | 'deliver';
  /** Mail to a domain whose routing is disabled. */
  disabledRouting: 'refuse' | 'discard';
  /** Mail to a domain whose MX records were never found. */
  unverifiedDomain: 'deliver' | 'refuse';
  /** Senders that an SMTP credential may use: its own address, any address of its domain, or any address. */
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
  ruleDotStar: 'regex',
  ruleCaptures: 'filled',
  aliasPatternCase: 'insensitive',
  bannedDomain: 'refuse',
  disabledRouting: 'refuse',
  unverifiedDomain: 'deliver',
  sendAs: 'domain',
};
