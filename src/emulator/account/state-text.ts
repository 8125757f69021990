import { dumpAccount, dumpAlias, dumpCredential, dumpDomainFields, dumpRule } from './dump.ts';
import { dumpLog } from '../logs/logs-seed.ts';
import type { DomainRecord, State } from './state.ts';

/** Taking so much together takes under a millisecond. */
const PIECE = 64 * 1024;

/**
 * The account as JSON text that seeds it again, in pieces, one item a line. Whoever writes them may let requests through
 * between two pieces: each item is whole, and what comes meanwhile is in the text or will be in the next.
 */
export function* stateText(state: State): Generator<string> {
  let piece = '';
  for (const line of stateLines(state)) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* stateLines(state: State): Generator<string> {
  yield `${open(dumpAccount(state, {}))},\n"domains":[`;
  yield* joined(state.domains.values(), domainLines);
  yield ']}\n';
}

function* domainLines(domain: DomainRecord): Generator<string> {
  yield `${open(dumpDomainFields(domain, {}))},\n"aliases":[`;
  yield* joined(domain.aliases.byId.values(), (alias) => [JSON.stringify(dumpAlias(alias, {}))]);
  yield '],"rules":[';
  yield* joined(domain.rules.byId.values(), (rule) => [JSON.stringify(dumpRule(rule, {}))]);
  yield '],"credentials":[';
  yield* joined(domain.credentials.byUsername.values(), (credential) => [
    JSON.stringify(dumpCredential(credential, {})),
  ]);
  yield '],"logs":[';
  yield* joined(domain.logs.byId.values(), (log) => [JSON.stringify(dumpLog(log, undefined))]);
  yield ']}';
}

function* joined<T>(items: Iterable<T>, linesOf: (item: T) => Iterable<string>): Generator<string> {
  let separator = '\n';
  for (const item of items) {
    yield separator;
    yield* linesOf(item);
    separator = ',\n';
  }
}

/** An object without its closing brace. */
function open(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}
