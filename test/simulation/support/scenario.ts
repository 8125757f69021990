import type { EmulatorOptions } from '../../../src/emulator/emulator.ts';
import type { EditRequest } from '../../../src/emulator/faults/faults.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import { loadManifest } from '../../../src/core/manifest/load.ts';
import type { Desired } from '../../../src/core/model/desired.ts';
import type { Policy } from '../../../src/core/plan/policy.ts';
import type { Decision } from '../../../src/engine/decide.ts';
import type { Planned } from '../../../src/engine/plan-once.ts';
import { createPolicy } from '../../../src/cli/input/run-policy.ts';
import type { Allowances } from '../../../src/cli/settings/flags.ts';
import type { GoldenCase, Version } from '../../golden/support/case.ts';
import { loadDesired } from '../../golden/support/desired.ts';

/** An account, a manifest, and the way it is applied. */
export interface Scenario {
  readonly name: string;
  readonly version: Version;
  readonly emulator: Pick<EmulatorOptions, 'state' | 'switches' | 'rateLimit'>;
  /** Manifests that are applied first, one after another, without faults. */
  readonly before: readonly Desired[];
  /** Changes by hand after these manifests. */
  readonly edits: readonly EditRequest[];
  readonly desired: Desired;
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string>>;
  /** Id of a run to undo instead of applying the manifest. */
  readonly undoes?: string;
  /** Decides whether a plan runs, as `apply` does with a saved plan; no other plan runs. */
  readonly approve?: (planned: Planned) => Decision;
}

export interface Flags extends Omit<Allowances, 'skipRefused'> {
  readonly skipRefused?: boolean;
  readonly maxFailures?: number;
  readonly domain?: string;
}

export const NAMED = 'fwdsync.yaml';

/** A scenario of a manifest below `version: 1` and an account. */
export function scenarioOf(
  name: string,
  manifest: string,
  state: EmulatorOptions['state'],
  more: Partial<Omit<Scenario, 'name' | 'desired' | 'before'>> & { readonly before?: readonly string[] } = {},
): Scenario {
  const { before = [], version = 'v4', ...rest } = more;
  return {
    name,
    version,
    emulator: { state },
    edits: [],
    flags: {},
    env: {},
    ...rest,
    before: before.map((body) => loadText(body, version, rest.env ?? {})),
    desired: loadText(manifest, version, rest.env ?? {}),
  };
}

export function loadText(body: string, version: Version, env: Scenario['env']): Desired {
  const loaded = loadManifest([{ file: NAMED, text: `version: 1\n${body}\n` }], {
    references: 'required',
    resolve: (reference) => (reference.kind === 'env' ? (env[reference.name] ?? null) : null),
    apiVersion: version,
  });
  if (loaded.desired === null) throw new Error(`${body}\n${JSON.stringify(loaded.problems)}`);
  return loaded.desired;
}

/** The least tolerant answers to open questions about the service. */
const WORST: Partial<Switches> = { existingRuleId: 'second' };

/** A golden case without its own faults; null if its manifest is invalid. */
export function scenarioOfCase(golden: GoldenCase, version: Version): Scenario | null {
  const { account, before, options } = golden;
  const desired = loadDesired(golden, version);
  if (desired === null) return null;
  const earlier = before === null ? null : loadDesired({ ...golden, manifest: before }, version);
  const flags = parseFlags(options.flags ?? []);
  const only = [...desired.domains].filter(([name]) => flags.domain === undefined || name === flags.domain);
  return {
    name: `${golden.name} on ${version}`,
    version,
    emulator: { state: account, switches: { ...WORST, ...options.switches }, rateLimit: options.rateLimit },
    // Gives both the same file names, so that fwdsync takes them for the same manifest.
    before: earlier === null ? [] : [{ ...earlier, files: desired.files }],
    edits: options.edits ?? [],
    desired: { ...desired, domains: new Map(only) },
    flags,
    env: options.env ?? {},
  };
}

const LISTS: Readonly<Record<string, keyof Omit<Allowances, 'skipRefused'>>> = {
  '--allow-domain-delete': 'allowDomainDelete',
  '--allow-empty': 'allowEmpty',
  '--allow-unrouted': 'allowUnrouted',
  '--rotate': 'rotate',
};
const NUMBERS: Readonly<Record<string, keyof Flags>> = {
  '--allow-deletes': 'allowDeletes',
  '--allow-reroutes': 'allowReroutes',
  '--max-failures': 'maxFailures',
};

/** Flags as the command line writes them. */
export function parseFlags(words: readonly string[]): Flags {
  const flags: Record<string, unknown> = {};
  for (const [index, word] of words.entries()) {
    const value = (words[index + 1] ?? '').replace(/^'(.*)'$/, '$1');
    const [list, number] = [LISTS[word], NUMBERS[word]];
    if (list !== undefined) flags[list] = [...((flags[list] as string[] | undefined) ?? []), value];
    if (number !== undefined) flags[number] = Number(value);
    if (word === '--skip-refused') flags['skipRefused'] = true;
    if (word === '--domain') flags['domain'] = value;
  }
  return flags;
}

export function policyOf(desired: Desired, flags: Flags, now: number): Policy {
  const account = desired.api.account ?? null;
  return createPolicy(desired, flags, { account, accountRequired: false, domainDeletes: 'allowed', now });
}
