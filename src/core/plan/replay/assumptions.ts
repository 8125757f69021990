/** Maximum number of combinations to try. Each condition on something unknown doubles them. */
const MOST_COMBINATIONS = 64;

/**
 * Calls `run` with every combination of answers to the conditions that it asks about. A condition has the same answer
 * throughout a run.
 */
export function assumptions(run: (assume: (condition: string) => boolean) => void): 'all' | 'too-many' {
  const open: ReadonlyMap<string, boolean>[] = [new Map()];
  // The list grows during this loop.
  for (const fixed of open) {
    const answers = new Map(fixed);
    run((condition) => {
      const answer = answers.get(condition) ?? false;
      answers.set(condition, answer);
      return answer;
    });
    const before = new Map(fixed);
    for (const condition of answers.keys()) {
      if (fixed.has(condition)) continue;
      open.push(new Map([...before, [condition, true]]));
      before.set(condition, false);
    }
    if (open.length > MOST_COMBINATIONS) return 'too-many';
  }
  return 'all';
}
