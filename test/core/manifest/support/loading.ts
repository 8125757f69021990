import { loadManifest, type LoadedManifest, type LoadOptions } from '../../../../src/core/manifest/load.ts';
import type { Desired, PresentDomain } from '../../../../src/core/model/desired.ts';
import type { DomainName, NameKey } from '../../../../src/core/model/names.ts';
import type { Problem } from '../../../../src/core/model/manifest/problem.ts';
import type { DesiredAlias } from '../../../../src/core/kinds/alias/fields.ts';

export interface TestOptions extends Partial<LoadOptions> {
  readonly env?: Readonly<Record<string, string>>;
}

/** Loads one text, or several files by name. */
export function load(
  texts: string | Uint8Array | Readonly<Record<string, string | Uint8Array>>,
  { env = { X: 'long enough' }, ...options }: TestOptions = {},
): LoadedManifest {
  const files = typeof texts === 'string' || texts instanceof Uint8Array ? { 'm.yaml': texts } : texts;
  return loadManifest(
    Object.entries(files).map(([file, text]) => ({ file, text })),
    {
      references: 'optional',
      resolve: (reference) => env[reference.kind === 'env' ? reference.name : reference.path] ?? null,
      apiVersion: 'v4',
      ...options,
    },
  );
}

/** Returns `code line:column` for each problem, with the file if there are several. `<-` precedes the related place. */
export function problemsOf(texts: Parameters<typeof load>[0], options: TestOptions = {}): readonly string[] {
  return listed(load(texts, options).problems);
}

/** Lists the errors of these texts as `problemsOf` does. */
export function errorsOf(texts: Parameters<typeof load>[0], options: TestOptions = {}): readonly string[] {
  return listed(load(texts, options).problems.filter(({ severity }) => severity === 'error'));
}

function listed(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ code, source, related }) => {
    const place = `${source?.file === 'm.yaml' ? '' : `${source?.file}:`}${source?.line}:${source?.column}`;
    if (related === undefined) return `${code} ${place}`;
    return `${code} ${place} <- ${related.file === 'm.yaml' ? '' : `${related.file}:`}${related.line}:${related.column}`;
  });
}

export function desiredOf(texts: Parameters<typeof load>[0], options: TestOptions = {}): Desired {
  const { desired, problems } = load(texts, options);
  if (desired === null) throw new Error(JSON.stringify(problems, null, 2));
  return desired;
}

/** Returns the text of a manifest with one domain that has these lines. */
export function acme(...lines: readonly string[]): string {
  return ['version: 1', 'domains:', '  acme.example:', ...lines.map((line) => `    ${line}`), ''].join('\n');
}

export function acmeOf(desired: Desired): PresentDomain {
  const domain = desired.domains.get('acme.example' as DomainName);
  if (domain?.state !== 'present') throw new Error('no acme.example');
  return domain;
}

/** Returns name -> forward or `absent` for the aliases of acme.example. */
export function aliasesOf(
  texts: Parameters<typeof load>[0],
  options: TestOptions = {},
): Readonly<Record<string, string>> {
  const entries = acmeOf(desiredOf(texts, options)).aliases?.entries ?? new Map<NameKey, DesiredAlias>();
  return Object.fromEntries(
    [...entries.values()].map((alias) => [
      alias.name,
      alias.state === 'absent' ? 'absent' : alias.forward.join(),
    ]),
  );
}
