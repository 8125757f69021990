import { showText, type Disclosure } from '../model/disclosure.ts';
import type { Change, Forecast, Plan } from '../model/plan.ts';
import { shownFields } from './fields.ts';

export interface PlanDocumentOptions {
  readonly forecast: Forecast;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly digest: string;
  readonly disclosure: Disclosure;
}

export type PlanDocument = ReturnType<typeof planDocument>;

/** `fwdsync/plan@1`: what `plan --format json` prints; schemas/plan.v1.schema.json. */
export function planDocument(plan: Plan, { forecast, createdAt, digest, disclosure }: PlanDocumentOptions) {
  return {
    kind: 'fwdsync/plan@1',
    createdAt: new Date(createdAt).toISOString(),
    digest,
    api: plan.api,
    manifest: plan.manifest,
    summary: plan.summary,
    changes: plan.changes.map((change) => changeDocument(change, disclosure)),
    guards: plan.guards.map(({ guard, scope, limit, planned, allow, allowed, message }) => ({
      guard,
      scope,
      limit,
      planned,
      allow,
      allowed,
      message: showText(message, disclosure),
    })),
    allowances: plan.allowances,
    withheld: plan.withheld.map(({ domain, reason }) => ({ domain, reason: showText(reason, disclosure) })),
    warnings: plan.warnings.map(({ code, message, hint, source }) => ({
      code,
      message: showText(message, disclosure),
      ...(hint === undefined ? {} : { hint }),
      source,
    })),
    forecast,
  };
}

function changeDocument(change: Change, disclosure: Disclosure) {
  const { action, kind, domain, name, id, fields, stage, conditional, reason, source, via } = change;
  return {
    action,
    kind,
    domain,
    name,
    id,
    fields,
    observed: shownFields(change, 'observed', disclosure),
    desired: shownFields(change, 'desired', disclosure),
    stage,
    conditional,
    reason,
    source,
    ...(via === undefined ? {} : { via }),
  };
}
