/** A directed graph: each node with the nodes it leads to. A node that leads nowhere may be missing. */
export type Graph<Node> = ReadonlyMap<Node, ReadonlySet<Node>>;

/** Returns the nodes that lie on a cycle. Takes time linear in nodes and edges (Kosaraju's algorithm). */
export function nodesOnCycles<Node>(graph: Graph<Node>): ReadonlySet<Node> {
  const finished = finishingOrder(graph);
  const reversed = reverse(graph);
  const seen = new Set<Node>();
  const onCycles = new Set<Node>();
  for (const root of [...finished].reverse()) {
    const component = reach(root, reversed, seen);
    const returns = component.length > 1 || graph.get(root)?.has(root);
    if (returns) for (const node of component) onCycles.add(node);
  }
  return onCycles;
}

/**
 * Returns the nodes in the order in which a depth-first search finishes them: each one after all that it discovers. It does
 * not recurse, because chains may be long.
 */
function finishingOrder<Node>(graph: Graph<Node>): ReadonlySet<Node> {
  const seen = new Set<Node>();
  const finished = new Set<Node>();
  for (const root of graph.keys()) {
    const open: { readonly node: Node; readonly left: boolean }[] = [{ node: root, left: false }];
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { node, left } = visit;
      if (left) finished.add(node);
      if (seen.has(node)) continue;
      seen.add(node);
      open.push({ node, left: true });
      const following = graph.get(node);
      if (following === undefined) continue;
      for (const next of following) open.push({ node: next, left: false });
    }
  }
  return finished;
}

function reverse<Node>(graph: Graph<Node>): Graph<Node> {
  const reversed = new Map<Node, Set<Node>>();
  for (const [node, following] of graph) {
    for (const next of following) {
      const leading = reversed.get(next) ?? new Set();
      reversed.set(next, leading.add(node));
    }
  }
  return reversed;
}

/** Returns the unseen nodes that can be reached, including the root. */
function reach<Node>(root: Node, graph: Graph<Node>, seen: Set<Node>): readonly Node[] {
  const found: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    found.push(node);
    open.push(...(graph.get(node) ?? []));
  }
  return found;
}
