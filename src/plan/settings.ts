import type { PresentDomain } from '../model/desired.ts';
import { normaliseDestination } from '../model/destinations.ts';
import type { ObservedDomain } from '../model/observed.ts';
import type { DomainChange, Warning } from '../model/plan.ts';
import type { DomainState } from '../model/resources.ts';
import { notKeptWarning } from './section.ts';
import { isKeptOtherwise, reasonFor, type Memory } from './signature.ts';

const FIELDS = ['notification_email', 'whitelabel', 'webhook'] as const;
type Field = (typeof FIELDS)[number];

export interface SettingsPlan {
  /** null: nothing to change. */
  readonly change: DomainChange | null;
  readonly warnings: readonly Warning[];
}

export function planNewDomain(desired: PresentDomain, memory: Memory): DomainChange {
  const state = managedState(desired);
  return {
    kind: 'domain',
    action: 'add',
    domain: desired.domain,
    name: desired.domain,
    id: null,
    observed: null,
    desired: state,
    fields: FIELDS.filter((field) => state[field] !== undefined),
    stage: 1,
    conditional: false,
    reason: reasonFor(desired.domain, { kind: 'domain', state }, memory),
    source: desired.source,
  };
}

/** An update sends every setting: those that are not managed as they were read (v4: PUT resets what is left out). */
export function planSettings(desired: PresentDomain, live: ObservedDomain, memory: Memory): SettingsPlan {
  const managed = managedState(desired);
  const observed = observedState(live);
  const fields = FIELDS.filter(
    (field) => managed[field] !== undefined && !sameSetting(field, managed[field], observed[field]),
  );
  if (fields.length === 0) return { change: null, warnings: [] };
  const wanted = { kind: 'domain', state: managed } as const;
  const shown = { kind: 'domain', state: managedPart(desired, observed) } as const;
  if (isKeptOtherwise(desired.domain, { wanted, live: shown }, memory)) {
    const place = { name: desired.domain, source: desired.source };
    return { change: null, warnings: [notKeptWarning('domain', place, desired)] };
  }
  const change: DomainChange = {
    kind: 'domain',
    action: 'update',
    domain: desired.domain,
    name: desired.domain,
    id: null,
    observed,
    desired: { ...observed, ...managed },
    fields,
    stage: 1,
    conditional: false,
    reason: reasonFor(desired.domain, wanted, memory),
    source: desired.source,
  };
  return { change, warnings: clearingWarnings(desired, change) };
}

/** The settings of a live domain, as an update would send them back. */
export function observedState(live: ObservedDomain): DomainState {
  const { notification_email, whitelabel, webhook } = live;
  return webhook === undefined
    ? { notification_email, whitelabel }
    : { notification_email, whitelabel, webhook };
}

export function managedState({ settings }: PresentDomain): DomainState {
  const state: { -readonly [K in Field]?: string | null } = {};
  for (const field of FIELDS) {
    const setting = settings[field];
    if (setting !== undefined) state[field] = setting.value;
  }
  return state;
}

/** Of the settings of a domain those that the manifest manages. */
export function managedPart({ settings }: PresentDomain, state: DomainState): DomainState {
  const part: { -readonly [K in Field]?: string | null } = {};
  for (const field of FIELDS) {
    const value = state[field];
    if (settings[field] !== undefined && value !== undefined) part[field] = value;
  }
  return part;
}

function sameSetting(field: Field, a: string | null, b: string | null | undefined): boolean {
  const left = a ?? '';
  const right = b ?? '';
  if (left === right) return true;
  if (field === 'whitelabel') return left.toLowerCase() === right.toLowerCase();
  return normaliseDestination(left) === normaliseDestination(right);
}

/** Whether the service takes a value away is stated nowhere; if it does not, that is reported as not kept. */
function clearingWarnings(desired: PresentDomain, change: DomainChange): readonly Warning[] {
  return change.fields
    .filter((field) => change.desired?.[field] === null)
    .map((field) => ({
      code: 'may-not-clear',
      message: `${field} of ${desired.domain} is to have no value; the service may not take a value away`,
      hint: 'if it is reported as not kept, take it away in the dashboard or leave the setting out',
      source: desired.settings[field]?.source ?? desired.source,
    }));
}
