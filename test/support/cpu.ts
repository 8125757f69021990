/** Processor time of this thread: what a test may bound on a machine that others use too. */
export function cpuSeconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}
