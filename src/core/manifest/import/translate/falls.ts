import type { Destination } from '../../../model/destinations.ts';
import { localPartOf } from '../../../model/names.ts';
import { createRouter } from '../../../routing/route.ts';
import { commonWords, machineOf } from '../../../routing/overlaps/common-words.ts';
import type { ImportedDomain, LeftOut } from '../translated.ts';
import type { Missing } from './missing.ts';
import type { PlannedPattern } from './planned.ts';

/** Adds the present destinations of the mail of missing parts. Mail that both systems refuse is not missing. */
export function tellFalls(
  missing: readonly Missing[],
  written: Pick<ImportedDomain, 'domain' | 'aliases' | 'rules'>,
): readonly LeftOut[] {
  if (missing.length === 0) return [];
  const routeOf = routerFor(written);
  return missing.flatMap(({ mail, ...part }) => {
    const fallsTo = fallOf(localPartOf(part.address ?? ''), mail, routeOf);
    return part.reason === 'refused' && fallsTo === null ? [] : [{ ...part, fallsTo }];
  });
}

/**
 * Routes mail to a local part by the written entries; null means refused. `by` is `name` if an alias takes it by name.
 */
type RouteOf = (
  local: string,
) => { readonly forward: readonly string[]; readonly by: 'name' | 'other' } | null;

function routerFor({
  domain,
  aliases,
  rules,
}: Pick<ImportedDomain, 'domain' | 'aliases' | 'rules'>): RouteOf {
  const wire = (forward: readonly string[]): readonly Destination[] =>
    forward.map((text) => (text === 'discard' ? 'null' : text) as Destination);
  const router = createRouter({
    aliases: aliases.map(({ name, forward }) => ({ name, forward: wire(forward) })),
    rules: rules.map(({ match, forward }) => ({ match, forward: wire(forward), active: true })),
    mode: 'rules-then-aliases',
    fallback: null,
  });
  return (local) => {
    const route = router.route({ to: `${local}@${domain}`, from: '', subject: '', body: '' });
    if (route.kind === 'refused') return null;
    const forward = route.forward.map((destination) => (destination === 'null' ? 'discard' : destination));
    const isByName = route.kind === 'alias' && route.by !== 'regex' && route.by !== 'catch-all';
    return { forward, by: isByName ? 'name' : 'other' };
  };
}

function fallOf(local: string, mail: Missing['mail'], routeOf: RouteOf): readonly string[] | null {
  switch (mail.kind) {
    case 'none':
      return null;
    case 'everything':
      return routeOf(NO_NAME)?.forward ?? null;
    case 'address':
      return (routeOf(local) ?? routeOf(`${local}+label`))?.forward ?? null;
    case 'pattern':
      return fallOfPattern(mail.plan, routeOf);
  }
}

/** A local part that no name and no pattern of a source has. */
const NO_NAME = '\u0001';
const EVERY_WORD = '.+';
const MOST_WITNESSES = 50;

/** Routes the first word of a pattern that is not the name of an alias. */
function fallOfPattern({ pattern, machine }: PlannedPattern, routeOf: RouteOf): readonly string[] | null {
  const [own, every] = [machine(), machineOf(EVERY_WORD)];
  if (own === null || every === null) return fallOf('', { kind: 'everything' }, routeOf);
  const words = pattern.words ?? commonWords(own, every, { left: 20_000 }).take(MOST_WITNESSES);
  for (const word of words) {
    const route = routeOf(word);
    if (route === null) return null;
    if (route.by !== 'name') return route.forward;
  }
  return null;
}
