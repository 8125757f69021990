/** The nodes from which a way leads back to themselves, in time linear in nodes and edges (Kosaraju's algorithm). */
export function nodesOnCycles(graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const finished = finishingOrder(graph);
  const reversed = reverse(graph);
  const seen = new Set<string>();
  const onCycles = new Set<string>();
  for (const root of finished.toReversed()) {
    const component = reach(root, reversed, seen);
    const alone = component.length < 2 && !(graph.get(root) ?? []).includes(root);
    if (!alone) for (const node of component) onCycles.add(node);
  }
  return onCycles;
}

/** Every node after all that can be reached from it and not from before. Without recursion: chains may be long. */
function finishingOrder(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const seen = new Set<string>();
  const finished: string[] = [];
  for (const root of graph.keys()) {
    const open: { readonly node: string; readonly state: 'entered' | 'left' }[] = [
      { node: root, state: 'entered' },
    ];
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { node, state } = visit;
      if (state === 'left') finished.push(node);
      if (state === 'left' || seen.has(node)) continue;
      seen.add(node);
      open.push({ node, state: 'left' });
      for (const next of graph.get(node) ?? []) open.push({ node: next, state: 'entered' });
    }
  }
  return finished;
}

function reverse(graph: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const reversed = new Map<string, string[]>();
  for (const [node, following] of graph) {
    for (const next of following) {
      const known = reversed.get(next);
      if (known === undefined) reversed.set(next, [node]);
      else known.push(node);
    }
  }
  return reversed;
}

/** What was not seen before and can be reached, the root included. */
function reach(
  root: string,
  graph: ReadonlyMap<string, readonly string[]>,
  seen: Set<string>,
): readonly string[] {
  const found: string[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    found.push(node);
    open.push(...(graph.get(node) ?? []));
  }
  return found;
}
