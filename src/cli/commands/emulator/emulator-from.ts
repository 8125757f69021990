import * as fs from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Seed, SeedDomain, SeedRule } from '../../../emulator/account/seed.ts';
import { loadManifest } from '../../../core/manifest/load.ts';
import { readManifests } from '../../../core/manifest/read/read.ts';
import { presentEntries, type Desired, type PresentDomain } from '../../../core/model/desired.ts';
import { encodeForward, type Reference } from '../../../core/model/destinations.ts';
import type { DesiredRule } from '../../../core/kinds/rule/fields.ts';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { loadOptions } from '../../input/manifest/desired.ts';
import { invalidManifest, printProblems } from '../../output/problems/problems.ts';
import { agreedAccount } from '../../settings/address.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';

export interface FromOptions {
  /** The manifest, a file or a directory. */
  readonly from: string;
  /** The email of the account. It must not differ from the manifest's. */
  readonly account?: string | undefined;
  /** Password of every SMTP credential. */
  readonly smtpPassword: string;
}

/**
 * Returns an account as a manifest wants it. No reference is resolved: each stands for an address at
 * `reference.invalid`, and every credential has the same password. An invalid manifest ends the command with 5.
 */
export async function seedFrom(
  context: Context,
  settings: ManifestSettings,
  options: FromOptions,
): Promise<Seed> {
  const manifest = { ...settings, paths: [resolve(context.cwd, options.from)] };
  const desired = await loadWithPlaceholders(context, manifest, 'checked');
  return seedOf(desired, agreedAccount(options.account, desired.api.account), options.smtpPassword);
}

export function seedOf(desired: Desired, email: string | undefined, smtpPassword: string): Seed {
  const domains = [...desired.domains.values()].filter((domain) => domain.state === 'present');
  const whitelabels = domains.flatMap(({ settings }) => settings.whitelabel?.value ?? []);
  return {
    ...(email === undefined ? {} : { account: { email } }),
    whitelabels: [...new Set(whitelabels)],
    domains: domains.map((domain) => seedDomain(domain, smtpPassword)),
  };
}

/**
 * Reads manifests with a placeholder for each reference, and prints their problems. Invalid manifests end the command
 * with 5.
 */
export async function loadWithPlaceholders(
  context: Context,
  manifest: ManifestSettings,
  expect: 'checked' | 'unchecked',
): Promise<Desired> {
  const texts = await readManifests(manifest.paths, { fs, stdin: context.stdin, cwd: context.cwd });
  if (!texts.ok) throw commandFailure(texts.error.message, texts.error.hint);
  const how = loadOptions(context, manifest, 'required');
  const { desired, problems, counts } = loadManifest(texts.value, {
    ...how,
    expect,
    resolve: placeholders(),
  });
  const own = { ...context, given: { ...context.given, file: manifest.paths } };
  if (desired === null) throw invalidManifest(own, { problems, counts });
  printProblems(own, problems);
  return desired;
}

/**
 * Returns a function that gives each reference its own address, such as `env-boss@reference.invalid` for `{ env: BOSS
 * }`.
 */
function placeholders(): (reference: Reference) => string {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return ({ shown }) => {
    const known = given.get(shown);
    if (known !== undefined) return known;
    const base = shown
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 50);
    let local = base;
    for (let count = 2; taken.has(local); count += 1) local = `${base}-${count}`;
    taken.add(local);
    const address = `${local}@reference.invalid`;
    given.set(shown, address);
    return address;
  };
}

function seedDomain({ domain, settings, ...sections }: PresentDomain, password: string): SeedDomain {
  const aliases = presentEntries(sections.aliases);
  const rules = (sections.rules?.entries ?? []).flatMap(seedRule);
  return {
    domain,
    ...Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value])),
    routing_engine: rules.length > 0 && aliases.length === 0 ? 'rules' : 'alias',
    aliases: aliases.map(({ name, forward }) => ({ alias: name, forward: encodeForward(forward) })),
    rules,
    credentials: presentEntries(sections.credentials).map(({ name }) => ({ username: name, password })),
  };
}

/** Returns a rule with a rank in steps of ten, like new rules of the service. */
function seedRule(rule: DesiredRule, index: number): readonly SeedRule[] {
  if (rule.state === 'absent') return [];
  const { id, match, forward, active } = rule;
  const { type, ...condition } = match;
  const config = { ...condition, forward: encodeForward(forward) };
  return [{ id, type, config, active, rank: (index + 1) * 10 }];
}
