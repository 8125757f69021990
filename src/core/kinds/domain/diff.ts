import type { PresentDomain, Setting } from '../../model/desired.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { DomainChange, Warning } from '../../model/plan.ts';
import { differingFields, fieldNames, pickFields } from '../../fields/fields.ts';
import { DOMAIN, managedPart, managedState, SETTINGS, type DomainState } from './fields.ts';
import { signatureOf } from '../facts.ts';
import { isKeptOtherwise, reasonFor, type ItemMemory } from '../../plan/diff/item-memory.ts';
import { notKeptWarning } from '../../plan/diff/section.ts';

export interface SettingsPlan {
  /** null means that nothing changes. */
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
    fields: fieldNames(SETTINGS, state),
    stage: 1,
    conditional: false,
    reason: reasonFor(DOMAIN, desired.domain, signatureOf(DOMAIN, state, memory.references), memory),
    source: desired.source,
  };
}

/**
 * Plans the changes of a domain's settings. An update sends every setting, because a PUT resets missing ones (v4).
 * Unmanaged settings are sent with their current value.
 */
export function planSettings(desired: PresentDomain, live: ObservedDomain, memory: ItemMemory): SettingsPlan {
  const managed = managedState(desired);
  const observed = pickFields<DomainState>(SETTINGS, live);
  const fields = differingFields(SETTINGS, managed, observed);
  if (fields.length === 0) return { change: null, warnings: [] };
  const wanted = signatureOf(DOMAIN, managed, memory.references);
  const shown = signatureOf(DOMAIN, managedPart(desired, observed), memory.references);
  if (isKeptOtherwise(DOMAIN, desired.domain, { wanted, live: shown }, memory)) {
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
    reason: reasonFor(DOMAIN, desired.domain, wanted, memory),
    source: desired.source,
  };
  return { change, warnings: clearingWarnings(desired, fields) };
}

/**
 * Warns of each setting that is cleared. The API does not document clearing; if it fails, the setting is reported as
 * not kept.
 */
function clearingWarnings(
  { domain, settings }: PresentDomain,
  fields: readonly string[],
): readonly Warning[] {
  const stated: Readonly<Record<string, Setting | undefined>> = settings;
  const hint = 'if it is reported as not kept, clear it in the dashboard or leave the setting out';
  return fields.flatMap((field) => {
    const setting = stated[field];
    if (setting?.value !== null) return [];
    const message = `${field} of ${domain} should have no value, but the service may not support clearing it`;
    return [{ code: 'may-not-clear', message, hint, source: setting.source }];
  });
}
