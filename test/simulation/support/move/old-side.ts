/** The forwards of an old Postfix, by local part; `*` is the catch-all. Destinations may be addresses of the domain itself. */
export type VirtualMap = ReadonlyMap<string, readonly string[]>;

/** Writes virtual(5). */
export function virtualText(domain: string, map: VirtualMap): string {
  const lines = [...map].map(([local, to]) => `${local === '*' ? '' : local}@${domain} ${to.join(', ')}\n`);
  return `${domain} anything\n${lines.join('')}`;
}

/** Returns where Postfix sends mail: user+ext, user, then the catch-all, again and again. Empty means refused. */
export function endsOfVirtual(domain: string, map: VirtualMap, local: string): readonly string[] {
  const [base = local] = local.split('+');
  const found = map.get(local) ?? map.get(base) ?? map.get('*') ?? [];
  const ends = found.flatMap((to) => {
    const [name = '', host] = to.split('@');
    return host === domain ? endsOfVirtual(domain, map, name) : [to];
  });
  return [...new Set(ends)].sort();
}
