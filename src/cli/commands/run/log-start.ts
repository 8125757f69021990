import type { ServiceLog } from '../../../service/log/service-log.ts';
import type { RunSettings } from './run-options.ts';

/** Logs that a service begins. */
export function logStart(log: ServiceLog, { mode, intervalMs, role }: RunSettings): void {
  const as = role === 'worker' ? ', as a worker' : '';
  log.info({ event: 'started', mode, interval_ms: intervalMs }, `started in mode ${mode}${as}`);
}
