/** Work in virtual time: it calls `then` once, when it has ended. */
export type VirtualJob = (then: () => void) => void;

/** One after another. */
export function inTurn(jobs: readonly VirtualJob[]): VirtualJob {
  return together(jobs, 1);
}

/** At most `limit` at a time; each takes the next that none has taken. */
export function together(jobs: readonly VirtualJob[], limit: number = Infinity): VirtualJob {
  return (then) => {
    let next = 0;
    let active = 0;
    let isStarting = false;
    const start = (): void => {
      if (isStarting) return;
      isStarting = true;
      for (let job = jobs[next]; job !== undefined && active < limit; job = jobs[next]) {
        next += 1;
        active += 1;
        job(() => {
          active -= 1;
          start();
          end();
        });
      }
      isStarting = false;
    };
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded || isStarting || active > 0 || next < jobs.length) return;
      hasEnded = true;
      then();
    };
    start();
    end();
  };
}

/** Jobs of which one at a time goes on, in the order in which they began to wait. */
export function createTurnstile(): (job: VirtualJob) => VirtualJob {
  const waiting: (() => void)[] = [];
  let isBusy = false;
  return (job) => (then) => {
    const start = (): void => {
      isBusy = true;
      job(() => {
        isBusy = false;
        waiting.shift()?.();
        then();
      });
    };
    if (isBusy) waiting.push(start);
    else start();
  };
}
