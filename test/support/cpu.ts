/** CPU time of this thread, which a test can limit even on a busy machine. */
export function cpuSeconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
}
