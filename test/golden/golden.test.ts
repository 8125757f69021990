import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Desired } from '../../src/core/model/desired.ts';
import { endingOn, readCases, storedAs, type Ending, type GoldenCase, type Version } from './support/case.ts';
import { loadDesired } from './support/desired.ts';
import { searchIn } from '../support/search.ts';
import { everyNth } from '../support/share.ts';
import { comparable } from './support/generations.ts';
import { KEY, runCase, type CaseOutcome, type Later } from './support/run-case.ts';
import { credentialsGone, restorable } from './support/undo.ts';
import { unmanagedPart } from './support/unmanaged.ts';

// UPDATE_GOLDEN=1 stores the output instead of comparing it; read the difference before you commit.
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

const EXIT_OF: Readonly<Record<Ending, number>> = {
  converged: 0,
  unchanged: 0,
  failed: 1,
  partial: 3,
  refused: 4,
  invalid: 5,
};

const VERSIONS: readonly Version[] = ['v4', 'v3'];
const CASES = readCases(import.meta.dirname);
const onVersion = ({ name }: GoldenCase, version: Version): string => `${name} on ${version}`;
const ON_BOTH = new Set(UPDATE ? CASES : everyNth(13, CASES));
/** Every case runs on v4, and some also on v3. */
const versionsOf = (golden: GoldenCase): readonly Version[] => (ON_BOTH.has(golden) ? VERSIONS : ['v4']);
const FOLLOWED = new Set(
  everyNth(
    10,
    CASES.flatMap((golden) => versionsOf(golden).map((version) => onVersion(golden, version))),
  ),
);

test('every folder is a case with a manifest and an account', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(40);
  for (const { name, account } of CASES) expect(account, name).toBeDefined();
});

describe.each(CASES)('$name', (golden: GoldenCase) => {
  const versions = versionsOf(golden);
  const outcomes = new Map<Version, CaseOutcome>();

  beforeAll(async () => {
    for (const version of versions) {
      const isFollowed = FOLLOWED.has(onVersion(golden, version));
      outcomes.set(version, await runCase(golden, version, { isFollowed }));
    }
  });

  describe.each(versions)('on %s', (version) => {
    const outcomeOf = (): CaseOutcome => outcomes.get(version) as CaseOutcome;
    testOutcome(golden, version, outcomeOf);
    if (FOLLOWED.has(onVersion(golden, version))) testLater(golden, version, outcomeOf);
  });

  test.each(versions)('prints and sends what is stored, on %s', (version) => {
    const { texts } = outcomes.get(version) as CaseOutcome;
    for (const [file, text] of Object.entries(texts)) {
      const name = storedAs(file, golden, version);
      if (name === null) continue;
      const path = join(golden.directory, name);
      if (UPDATE) writeFileSync(path, text);
      expect(text, name).toBe(
        existsSync(path) ? readFileSync(path, 'utf8') : 'nothing stored: UPDATE_GOLDEN=1 does',
      );
    }
  });

  test('stores for v3 what it says', () => {
    const stored = readdirSync(golden.directory).filter((name) => name.includes('.v3.'));
    const said = golden.options.v3?.files ?? [];
    expect(new Set(stored)).toEqual(new Set(said.map((file) => storedAs(file, golden, 'v3'))));
  });

  if (!ON_BOTH.has(golden)) return;

  test('is the same on both generations', () => {
    const [v4, v3] = [outcomes.get('v4') as CaseOutcome, outcomes.get('v3') as CaseOutcome];
    expect(comparable(v3, golden)).toEqual(comparable(v4, golden));
  });

  test('differs where it says so', () => {
    for (const file of golden.options.v3?.files ?? []) {
      const [v4, v3] = VERSIONS.map((version) => outcomes.get(version)?.texts[file]);
      expect(v3, file).not.toBe(v4);
    }
  });
});

function testOutcome(golden: GoldenCase, version: Version, outcomeOf: () => CaseOutcome): void {
  const { options } = golden;
  const { ends, done, alone } = kindOf(golden, version);
  let outcome: CaseOutcome;
  let desired: Desired | null;

  beforeAll(() => {
    outcome = outcomeOf();
    desired = loadDesired(golden, version);
  });

  test('ends as it says', () => {
    expect(outcome.apply.exitCode, outcome.apply.stdout + outcome.apply.stderr).toBe(EXIT_OF[ends]);
    for (const line of options.failed ?? []) expect(outcome.apply.stdout).toContain(`${line}: `);
  });

  test('the dry run is dry', () => {
    expect(outcome.planRequests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('all is never deleted at once', () => {
    const paths = outcome.applyRequests.map(({ path }) => path);
    expect(paths.filter((path) => /[?&]all=|-all\b/.test(path))).toEqual([]);
  });

  if (alone) test('unmanaged items stay as they are, including ids and times', () => {
    if (desired === null) {
      expect(outcome.end).toEqual(outcome.start);
      return;
    }
    const ids = new Set(
      outcome.applyRequests.flatMap(({ path }) => /\/rules\/([^/]+)$/.exec(path)?.[1] ?? []),
    );
    const names = new Set(outcome.start.domains.map(({ domain }) => domain));
    const end = { ...outcome.end, domains: outcome.end.domains.filter(({ domain }) => names.has(domain)) };
    expect(unmanagedPart(end, desired, ids)).toEqual(unmanagedPart(outcome.start, desired, ids));
  });

  if (ends !== 'converged' && ends !== 'partial') test('nothing is written', () => {
    const accepted = ({ status }: { status: number | null }): boolean => status !== null && status < 300;
    expect(outcome.applyRequests.filter(({ method }) => method !== 'GET').filter(accepted)).toEqual([]);
    expect(outcome.end).toEqual(outcome.start);
  });

  if (ends === 'converged' && isForeseeable(golden)) test('sends as much as was forecast', () => {
    const { plan, applyRequests } = outcome;
    if (plan.stdout.includes('conditional')) return; // what the service does decides
    const writes = applyRequests.filter(({ method }) => method !== 'GET').length;
    expect(plan.stdout).toMatch(
      new RegExp(`^${applyRequests.length} requests?, ${writes} of them (?:a write|writes);`, 'm'),
    );
  });

  if (alone) test('no mail is lost or led astray on the way', () => {
    expect(outcome.strayed).toEqual([]);
  });

  if (done) test('no delete overtakes an add or an update of an alias', () => {
    const writes = outcome.applyRequests.filter(({ method }) => method !== 'GET');
    const firstDelete = writes.findIndex(({ method }) => method === 'DELETE');
    const lastRouting = writes.findLastIndex(
      ({ method, endpoint }) => method !== 'DELETE' && endpoint?.includes('/aliases'),
    );
    if (firstDelete >= 0) expect(firstDelete).toBeGreaterThan(lastRouting);
  });

  test('no secret is printed or saved', () => {
    const { texts, saved } = outcome;
    expect(secretsIn([texts['plan.txt'] ?? '', texts['report.txt'] ?? '', ...saved], golden)).toEqual([]);
  });
}

/** Output of command lines after the run. */
function testLater(golden: GoldenCase, version: Version, outcomeOf: () => CaseOutcome): void {
  const { options } = golden;
  const { done, alone } = kindOf(golden, version);
  let outcome: CaseOutcome;
  let later: Later;

  beforeAll(() => {
    outcome = outcomeOf();
    later = outcome.later as Later;
  });

  if (done) test('the plan after it is empty, on the other generation too', () => {
    for (const { exitCode, stdout, stderr } of [later.planAgain, later.planOnOther]) {
      // v4 has no field for it.
      if (version === 'v3' && stderr.includes('[needs-v3]')) continue;
      expect(exitCode, stdout + stderr).toBe(0);
    }
  });

  if (done) test("the plan of the account's own export is empty", () => {
    const { exported, planOfExport } = later;
    expect(exported.exitCode, exported.stderr).toBe(0);
    const { stdout, stderr, exitCode } = planOfExport;
    expect(exitCode, stdout + stderr).toBe(0);
  });

  if (alone) test('its snapshot brings back what was there', () => {
    const { start, end } = outcome;
    const { undone } = later;
    if (undone === null) {
      expect(end).toEqual(start);
      return;
    }
    const lost = options.lost ?? [];
    const { exitCode, stdout, stderr } = undone.snapshot.result;
    expect(exitCode, stdout + stderr).toBe(0);
    expect(restorable(undone.snapshot.account, lost)).toEqual(restorable(start, lost));
  });

  if (alone) test('undo brings back what was there, and undo of that what was applied', () => {
    const { start, end } = outcome;
    const { undone } = later;
    if (undone === null) return;
    // A password cannot be read, and items that cannot be restored are skipped.
    const unmade = credentialsGone(end, undone.undo.account);
    for (const { result, account, as, lost } of [
      { ...undone.undo, as: start, lost: options.lost ?? [] },
      { ...undone.redo, as: end, lost: unmade },
    ]) {
      const { exitCode, stdout, stderr } = result;
      const wrote = /^undo: /m.test(stdout);
      expect(exitCode, stdout + stderr).toBe(lost.length === 0 ? 0 : wrote ? 3 : 6);
      expect(restorable(account, lost)).toEqual(restorable(as, lost));
    }
  });
  test('no secret is printed later either', () => {
    const { planAgain, planOnOther, undone } = later;
    const undoing = undone === null ? [] : Object.values(undone).map(({ result }) => result);
    const shown = [planAgain, planOnOther, ...undoing].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(secretsIn(shown, golden)).toEqual([]);
  });
}

/** Returns the secrets of a case that the texts contain, in any of six encodings. */
function secretsIn(texts: readonly string[], { options }: GoldenCase): readonly unknown[] {
  const secrets = Object.fromEntries([KEY, ...(options.secrets ?? [])].map((secret) => [secret, secret]));
  return searchIn({ where: 'what is shown', text: texts.join('\n') }, secrets);
}

function kindOf(
  golden: GoldenCase,
  version: Version,
): { readonly ends: Ending; readonly done: boolean; readonly alone: boolean } {
  const ends = endingOn(golden, version);
  return {
    ends,
    done: ends === 'converged' || ends === 'unchanged',
    // Changes during the run show only in the stored end.
    alone: !(golden.options.faults ?? []).some((fault) => fault.do.kind === 'edit'),
  };
}

/** True if the case has no faults, and the service follows the API documents. */
function isForeseeable({ account, options }: GoldenCase): boolean {
  const { faults = [], planFaults = [], switches = {} } = options;
  return faults.length + planFaults.length + Object.keys(switches).length === 0 && account.tier !== 'free';
}
