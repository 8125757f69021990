import type { CommandLine } from '../../model/text/command-line.ts';
import type { AbsentDomain, DesiredDomain, PresentDomain } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { ObservedDomain, UnprovenRead } from '../../model/observed.ts';
import type { DomainChange, Withheld, Change } from '../../model/plan.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import { planCatchAll } from '../../kinds/alias/diff-catch-all.ts';
import { rankOf, compareText, compareRanks } from '../sorting.ts';
import type {
  DomainPlan,
  SectionPlan,
  Withholding,
  SectionContext,
  PlanMemory,
  SectionResult,
} from './section.ts';
import { planNewDomain, planSettings } from '../../kinds/domain/diff.ts';
import type { ItemMemory } from './item-memory.ts';
import { leftBehindWarnings } from '../left-behind.ts';
import { domainWarnings } from '../warnings.ts';
import { SECTION_KINDS, SECTIONS, KINDS } from '../../kinds/registry.ts';
import type { Section } from '../../model/kinds.ts';
import { pickFields } from '../../fields/fields.ts';
import { SETTINGS, type DomainState } from '../../kinds/domain/fields.ts';

export interface DomainInput extends PlanMemory {
  readonly desired: DesiredDomain;
  /** undefined means that the account does not have the domain. */
  readonly live: ObservedDomain | undefined;
  readonly unproven: UnprovenRead | undefined;
  readonly domainDeletes: 'allowed' | 'never';
  readonly command: CommandLine;
}

const NOTHING = {
  changes: [],
  sections: [],
  unchanged: 0,
  unmanaged: 0,
  withheld: [],
  warnings: [],
  problems: [],
  adoptions: [],
} as const;

/** Plans one domain: its settings, then each section that the manifest manages. */
export function planDomain(input: DomainInput): DomainPlan {
  const { desired, live, unproven } = input;
  if (unproven !== undefined) return withhold(desired.domain, 'unproven', unproven.reason);
  if (desired.state === 'absent') return planTombstone(desired, live, input);
  const sections = planSections(desired, live, input);
  if (!sections.ok) {
    const { cause, reason, problems } = sections.error;
    return { ...withhold(desired.domain, cause, reason), problems };
  }
  return live === undefined
    ? assembleNew(desired, sections.value, input)
    : assemble(desired, live, sections.value, input);
}

function planTombstone(
  desired: AbsentDomain,
  live: ObservedDomain | undefined,
  { domainDeletes, command }: Pick<DomainInput, 'domainDeletes' | 'command'>,
): DomainPlan {
  const { domain, source } = desired;
  if (live === undefined) return { domain, ...NOTHING };
  if (SECTIONS.some((section) => live[section] === undefined)) {
    return withhold(domain, 'unproven', 'the items that would be deleted with it were not read');
  }
  if (domainDeletes === 'never') return pendingTombstone(desired, command);
  const change: DomainChange = {
    kind: 'domain',
    action: 'delete',
    domain,
    name: domain,
    id: null,
    observed: pickFields<DomainState>(SETTINGS, live),
    desired: null,
    fields: [],
    stage: 2,
    conditional: false,
    reason: 'tombstone',
    source,
    contents: Object.fromEntries(SECTIONS.map((section) => [section, live[section]?.length ?? 0])) as Record<
      Section,
      number
    >,
  };
  return { domain, ...NOTHING, changes: [change] };
}

function pendingTombstone({ domain, source }: AbsentDomain, command: CommandLine): DomainPlan {
  const hint = `\`${command(`apply --allow-domain-delete ${domain}`)}\` deletes it`;
  const message = `${domain} has a tombstone, but the daemon never deletes a domain`;
  return {
    ...withhold(domain, 'tombstone', 'pending-tombstone: the daemon never deletes a domain'),
    warnings: [{ code: 'pending-tombstone', message, hint, source }],
  };
}

function withhold(domain: DomainName, cause: Withheld['cause'], reason: string): DomainPlan {
  return { domain, ...NOTHING, withheld: [{ domain, reason, part: 'domain', cause }] };
}

/** Plans each managed section. For a new domain it starts from empty sections. */
function planSections(
  desired: PresentDomain,
  live: ObservedDomain | undefined,
  input: DomainInput,
): Result<readonly SectionPlan[], Withholding> {
  const missing = SECTIONS.find(
    (section) => desired[section] !== undefined && live !== undefined && live[section] === undefined,
  );
  if (missing !== undefined) {
    return fail({ cause: 'unproven', reason: `its ${missing} were not read`, problems: [] });
  }
  const plans: SectionPlan[] = [];
  for (const kind of SECTION_KINDS) {
    const { section } = KINDS[kind];
    if (desired[section] === undefined) continue;
    // The section and the rows belong to the kind. TypeScript cannot express this for all kinds at once.
    const planSection = KINDS[kind].plan as SectionPlanner;
    const result = planSection(desired[section], live?.[section] ?? [], { ...input, domain: desired.domain });
    if (!result.ok) return result;
    plans.push(result.value);
  }
  return succeed(plans);
}

type SectionPlanner = (section: unknown, live: unknown, context: SectionContext) => SectionResult;

function assembleNew(
  desired: PresentDomain,
  sections: readonly SectionPlan[],
  memory: ItemMemory,
): DomainPlan {
  const planned = sections.flatMap((section) => section.changes);
  const catchAll = planCatchAll(desired, planned);
  return {
    domain: desired.domain,
    ...collect(sections),
    sections,
    unchanged: 0,
    changes: [planNewDomain(desired, memory), ...catchAll.changes].sort(compareChanges),
    withheld: [],
    warnings: [...catchAll.warnings, ...sections.flatMap((section) => section.warnings)],
  };
}

function assemble(
  desired: PresentDomain,
  live: ObservedDomain,
  sections: readonly SectionPlan[],
  memory: ItemMemory & Pick<DomainInput, 'command'>,
): DomainPlan {
  const settings = planSettings(desired, live, memory);
  const own = settings.change === null ? [] : [settings.change];
  const changes = [...own, ...sections.flatMap((section) => section.changes)].sort(compareChanges);
  const numbers = collect(sections);
  const unchanged = settings.change === null && settings.warnings.length === 0 ? 1 : 0;
  return {
    domain: desired.domain,
    ...numbers,
    sections,
    unchanged: numbers.unchanged + unchanged,
    changes,
    withheld: [],
    warnings: [
      ...settings.warnings,
      ...domainWarnings(desired, live, memory.command),
      ...leftBehindWarnings(desired, live, memory),
      ...sections.flatMap((section) => section.warnings),
    ],
  };
}

function collect(
  sections: readonly SectionPlan[],
): Pick<DomainPlan, 'unchanged' | 'unmanaged' | 'problems' | 'adoptions'> {
  return {
    unchanged: sections.reduce((sum, section) => sum + section.unchanged, 0),
    unmanaged: sections.reduce((sum, section) => sum + section.unmanaged, 0),
    problems: sections.flatMap((section) => section.problems),
    adoptions: sections.flatMap((section) => section.adoptions),
  };
}

/** Replaces every change of a domain plan. */
export function changeEach(plan: DomainPlan, of: (change: Change) => Change): DomainPlan {
  return {
    ...plan,
    changes: plan.changes.map(of).sort(compareChanges),
    sections: plan.sections.map((section) => ({
      ...section,
      changes: section.changes.map(of),
      serviceOwn: section.serviceOwn.map(of),
    })),
  };
}

/**
 * Compares changes for a plan's order, which does not depend on the order of the inputs: by domain, stage, kind, then
 * name. Rules of one stage are ordered by their rank.
 */
export function compareChanges(a: Change, b: Change): number {
  if (a.domain !== b.domain) return compareText(a.domain, b.domain);
  if (a.stage !== b.stage) return a.stage - b.stage;
  if (a.kind !== b.kind) return KINDS[a.kind].order - KINDS[b.kind].order;
  return (
    compareRanks(rankOf(a), rankOf(b)) || compareText(a.name, b.name) || compareText(a.id ?? '', b.id ?? '')
  );
}
