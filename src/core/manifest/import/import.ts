import { domainPartOf, parseDomainName } from '../../model/names.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { SourceText } from '../read/text.ts';
import { withoutRefusedEntries } from './check-domain.ts';
import { SOURCE_FORMATS, type SourceFormat } from './formats.ts';
import type { Lookup, ParsedSource } from './forwards.ts';
import { domainOfLine, missingLine } from './lines.ts';
import { keysByDomain, namesInLookup, patternsInLookup } from './resolve/domain-keys.ts';
import type { Forwards } from './resolve/find.ts';
import { readDomainForwards } from './resolve/reading.ts';
import { withOneDomain } from './resolve/one-domain.ts';
import type { SourceContext, SourceFault } from './source-format.ts';
import { translateToAliases } from './translate/alias-translation.ts';
import { tellFalls } from './translate/falls.ts';
import type { Missing } from './translate/missing.ts';
import { translateToRules } from './translate/rule-translation.ts';
import type { ImportedDomain, LeftOut } from './translated.ts';

export interface SourceFile extends Pick<SourceContext, 'fileDomain' | 'include'> {
  readonly format: SourceFormat;
  readonly text: SourceText;
}

export interface ImportSettings extends Pick<SourceContext, 'columns' | 'localDomains'> {
  /** Only these domains; null means all. */
  readonly only: ReadonlySet<string> | null;
  readonly delimiter: string;
  readonly engine: 'aliases' | 'rules';
}

export interface Imported {
  /** Domains of the sources, in their order. */
  readonly names: readonly string[];
  /** Translates one domain after the other. */
  readonly domains: Iterable<ImportedDomain>;
  /** Lines without a domain, or with an invalid one. */
  readonly leftOut: readonly LeftOut[];
  /** Sentences about the whole import. */
  readonly notes: readonly string[];
}

/** Translates the forwards of other systems. The files are tried in their order, as the old system does. */
export function importForwards(
  files: readonly SourceFile[],
  settings: ImportSettings,
): Result<Imported, SourceFault> {
  const parsed: ParsedSource[] = [];
  for (const { format, text, fileDomain, include } of files) {
    const { columns, localDomains } = settings;
    const source = SOURCE_FORMATS[format](text, { columns, localDomains, fileDomain, include });
    if (!source.ok) return source;
    parsed.push(source.value);
  }
  if (files.length === 0) return fail(NOTHING_NAMED);
  return succeed(translate(withOneDomain(parsed, settings.localDomains), files, settings));
}

const NOTHING_NAMED: SourceFault = {
  kind: 'usage',
  span: null,
  message: 'no file is named',
  hint: 'name one as FORMAT:FILE, such as postfix:/etc/postfix/virtual',
};

function translate(
  sources: readonly ParsedSource[],
  files: readonly SourceFile[],
  settings: ImportSettings,
): Imported {
  const lookups = sources.flatMap((source) => source.lookups);
  const lines = sources.flatMap(({ leftOut }) => leftOut);
  const ofLines = lines
    .map((line) => domainOfLine(line, settings.localDomains))
    .filter((name) => name !== null);
  const declared = [...settings.localDomains, ...sources.flatMap(({ domains }) => domains), ...ofLines];
  const forwards = forwardsOf(lookups, declared, files, settings);
  const names = [...forwards.domains].filter((domain) => parseDomainName(domain).ok);
  const linesByDomain = Map.groupBy(lines, (line) => domainOfLine(line, settings.localDomains));
  const wanted = names.filter((domain) => settings.only?.has(domain) ?? true);
  const isNamed = new Set(names);
  const stray = lines.filter((line) => !isNamed.has(domainOfLine(line, settings.localDomains) ?? ''));
  return {
    names,
    domains: translated(wanted, { forwards, settings, linesByDomain }),
    leftOut: [...stray.map((line) => ({ ...line, fallsTo: null })), ...withoutDomain(lookups)],
    notes: notesOf(files, settings),
  };
}

interface Translating {
  readonly forwards: Forwards;
  readonly settings: ImportSettings;
  readonly linesByDomain: ReadonlyMap<string | null, ParsedSource['leftOut']>;
}

function* translated(
  domains: readonly string[],
  { forwards, settings, linesByDomain }: Translating,
): Generator<ImportedDomain> {
  const keys = keysByDomain(forwards);
  for (const domain of domains) {
    const reading = readDomainForwards(domain, keys, forwards);
    const made =
      settings.engine === 'rules'
        ? translateToRules(domain, reading, forwards)
        : translateToAliases(domain, reading, forwards);
    const lines = (linesByDomain.get(domain) ?? []).map((line): Missing => missingLine(line, domain));
    const { missing, ...written } = withoutRefusedEntries({ ...made, missing: [...made.missing, ...lines] });
    yield { ...written, leftOut: tellFalls(missing, written) };
  }
}

function forwardsOf(
  lookups: readonly Lookup[],
  declared: readonly string[],
  files: readonly SourceFile[],
  { localDomains, delimiter }: ImportSettings,
): Forwards {
  return {
    lookups,
    domains: new Set(domainsOf(lookups, declared)),
    localDomains: new Set(localDomains),
    delimiter,
    loops: files.some(({ format }) => format.startsWith('postfix')) ? 'all-lost' : 'others-stay',
  };
}

/** Returns the domains of keys and patterns, in their order, then the declared ones. */
function domainsOf(lookups: readonly Lookup[], declared: readonly string[]): Iterable<string> {
  const domains = new Set<string>();
  for (const lookup of lookups) {
    for (const key of namesInLookup(lookup)) if (key.includes('@')) domains.add(domainPartOf(key));
    for (const { domain } of patternsInLookup(lookup)) domains.add(domain);
  }
  for (const domain of declared) domains.add(domain);
  return domains;
}

/** Returns keys at names such as `localhost`, which can be followed but not managed. */
function withoutDomain(lookups: readonly Lookup[]): readonly LeftOut[] {
  const found: LeftOut[] = [];
  for (const lookup of lookups) {
    if (lookup.kind !== 'names') continue;
    for (const [key, { span }] of lookup.entries) {
      if (!key.includes('@') || parseDomainName(domainPartOf(key)).ok) continue;
      found.push({ span, address: key, reason: 'name', fallsTo: null });
    }
  }
  return found;
}

function notesOf(files: readonly SourceFile[], { engine, delimiter }: ImportSettings): readonly string[] {
  const isPostfix = files.some(({ format }) => format.startsWith('postfix'));
  const hasOthers = files.some(({ format }) => !/^(?:postfix|aliases)/.test(format)) || delimiter !== '+';
  return [
    ...(isPostfix
      ? [`labels such as ${delimiter}news are not added to destinations; Postfix adds them by default`]
      : []),
    ...(hasOthers ? ['mail to NAME+LABEL goes to NAME, because the service removes labels'] : []),
    ...(engine === 'rules' ? RULES_NOTES : []),
  ];
}

const RULES_NOTES = [
  'each domain must be switched to rules in the dashboard of the service; until then its rules have no effect',
  'mail that no rule matches goes to the fallback address that the dashboard shows for the domain',
];
