import type { PresentDomain } from '../../model/desired.ts';
import { decodeForward, showDestinations, type Disclosure } from '../../model/destinations.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { DomainChange, Warning } from '../../model/plan.ts';
import { pickSettings, sameSetting, SETTINGS, type DomainState } from '../../model/resources.ts';
import { contentsText } from '../guards/counting.ts';
import { isKeptOtherwise, reasonFor, type ItemMemory } from './item-memory.ts';
import { notKeptWarning } from './section.ts';
import { fieldText, type ShownChange, type ShownFields } from './shown.ts';

export interface SettingsPlan {
  /** null: nothing to change. */
  readonly change: DomainChange | null;
  readonly warnings: readonly Warning[];
}

export function planNewDomain(desired: PresentDomain, memory: ItemMemory): DomainChange {
  const state = managedState(desired);
  return {
    kind: 'domain',
    action: 'add',
    domain: desired.domain,
    name: desired.domain,
    id: null,
    observed: null,
    desired: state,
    fields: SETTINGS.filter((field) => state[field] !== undefined),
    stage: 1,
    conditional: false,
    reason: reasonFor('domain', desired.domain, settingsSignature(state), memory),
    source: desired.source,
  };
}

/** An update sends every setting: those that are not managed as they are when it is sent (v4: PUT resets what is left out). */
export function planSettings(desired: PresentDomain, live: ObservedDomain, memory: ItemMemory): SettingsPlan {
  const managed = managedState(desired);
  const observed = pickSettings(live);
  const fields = SETTINGS.filter(
    (field) => managed[field] !== undefined && !sameSetting(field, managed[field], observed[field]),
  );
  if (fields.length === 0) return { change: null, warnings: [] };
  const wanted = settingsSignature(managed);
  const shown = settingsSignature(managedPart(desired, observed));
  if (isKeptOtherwise('domain', desired.domain, { wanted, live: shown }, memory)) {
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
    reason: reasonFor('domain', desired.domain, wanted, memory),
    source: desired.source,
  };
  return { change, warnings: clearingWarnings(desired, fields) };
}

export function managedState({ settings }: PresentDomain): DomainState {
  const state: { -readonly [K in keyof DomainState]?: string | null } = {};
  for (const field of SETTINGS) {
    const setting = settings[field];
    if (setting !== undefined) state[field] = setting.value;
  }
  return state;
}

/** Of the settings of a domain those that the manifest manages. */
export function managedPart({ settings }: PresentDomain, state: DomainState): DomainState {
  const part: { -readonly [K in keyof DomainState]?: string | null } = {};
  for (const field of SETTINGS) {
    const value = state[field];
    if (settings[field] !== undefined && value !== undefined) part[field] = value;
  }
  return part;
}

/** Whether the service takes a value away is stated nowhere; if it does not, that is reported as not kept. */
function clearingWarnings(
  { domain, settings }: PresentDomain,
  fields: DomainChange['fields'],
): readonly Warning[] {
  const hint = 'if it is reported as not kept, clear it in the dashboard or leave the setting out';
  return fields.flatMap((field) => {
    const setting = settings[field];
    if (setting?.value !== null) return [];
    const message = `${field} of ${domain} is to have no value; the service may not support clearing it`;
    return [{ code: 'may-not-clear', message, hint, source: setting.source }];
  });
}

/** What is remembered of a domain; see `signature`. */
export function settingsSignature(state: DomainState): string {
  return JSON.stringify(pickSettings(state));
}

/** Notification addresses and webhooks are destinations too. */
export function settingsFields(settings: DomainState, disclosure: Disclosure): ShownFields {
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? showDestinations(decodeForward(value), disclosure) : value,
      ]),
  );
}

/** `from -> to` of each setting that changes. */
export function describeSettings({ action, fields, observed, desired, contents }: ShownChange): string {
  if (action === 'delete' && contents !== undefined) {
    return `with ${contentsText(contents)}`;
  }
  return fields
    .map((field) => {
      const now = fieldText(field, desired);
      return observed === null ? `${field} ${now}` : `${field} ${fieldText(field, observed)} -> ${now}`;
    })
    .join('; ');
}
