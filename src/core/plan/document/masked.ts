import { DISCLOSE_ALL, showDestination, showText, type MaskNumbers } from '../../model/destinations.ts';
import type { Decider } from '../../model/plan.ts';
import { KINDS } from '../../kinds/registry.ts';
import type { Kind } from '../../model/kinds.ts';
import { showNote, type ChangeDocument, type PlanDocument } from './document.ts';
import type { PlannedRouteDocument, RouteEndsDocument } from './planned-routes.ts';
import { shownList } from '../diff/shown.ts';
import type { FieldRows, ShownFields } from '../../fields/fields.ts';

/** Masks a saved plan, as `--mask` does. Masked parts stay as they are. */
export function maskedPlan<Document extends PlanDocument>(plan: Document, mask: MaskNumbers): Document {
  const text = (said: string): string => showText(said, { ...DISCLOSE_ALL, mask });
  const list = (shown: readonly string[]): readonly string[] =>
    shown.map((one) => showDestination(one, { ...DISCLOSE_ALL, mask }));
  const change = ({ name, observed, desired, after, ...rest }: ChangeDocument): ChangeDocument => ({
    ...rest,
    name: rest.kind === 'domain' ? name : text(name),
    observed: observed === null ? null : maskedFields(rest.kind, observed, { text, list }),
    desired: desired === null ? null : maskedFields(rest.kind, desired, { text, list }),
    ...(after === undefined ? {} : { after: after === null ? null : text(after) }),
  });
  const decider = (by: Decider | null): Decider | null =>
    by === null || by.name === null ? by : { ...by, name: text(by.name) };
  const ends = ({ kind, from, to, by, unknown }: RouteEndsDocument): RouteEndsDocument => ({
    kind,
    from: from === null ? null : list(from),
    to: to === null ? null : list(to),
    by: { before: decider(by.before), after: decider(by.after) },
    unknown,
  });
  const route = ({
    rule,
    condition,
    via,
    otherwise,
    ...rest
  }: PlannedRouteDocument): PlannedRouteDocument => ({
    ...rest,
    ...ends(rest),
    rule: rule === null ? null : text(rule),
    ...(condition === undefined ? {} : { condition: maskedFields('rule', condition, { text, list }) }),
    via: list(via),
    ...(otherwise === undefined ? {} : { otherwise: ends(otherwise) }),
  });
  return {
    ...plan,
    changes: plan.changes.map(change),
    guards: plan.guards.map((guard) => ({
      ...guard,
      allow: guard.allow === null ? null : text(guard.allow),
      message: text(guard.message),
    })),
    allowances: plan.allowances.map(text),
    withheld: plan.withheld.map((part) => ({ ...part, reason: text(part.reason) })),
    warnings: plan.warnings.map((warning) => ({ ...warning, ...showNote(warning, text) })),
    ...(plan.routes === undefined ? {} : { routes: plan.routes.map(route) }),
    problems: plan.problems.map((problem) => ({ ...problem, ...showNote(problem, text) })),
  };
}

function maskedFields(
  kind: Kind,
  fields: ShownFields,
  {
    text,
    list,
  }: {
    readonly text: (said: string) => string;
    readonly list: (shown: readonly string[]) => readonly string[];
  },
): ShownFields {
  const rows: FieldRows = KINDS[kind].fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      return [name, rows[name]?.codec.isDestination ? list(shownList(value)).join(', ') : text(value)];
    }),
  );
}
