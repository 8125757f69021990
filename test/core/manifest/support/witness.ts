// Loaded before the program. At the end it writes a NUL to standard error, then the loaded files, the CPU time and the
// memory of the program.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const urls = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (!resolved.url.startsWith('node:')) urls.add(resolved.url);
    return resolved;
  },
});
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  // `maxRSS` includes the parent's memory, because a child is a copy of it until it runs its own program.
  const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const testimony = { urls: [...urls], kibibytes, microseconds: userCPUTime + systemCPUTime };
  process.stderr.write(`\u0000${JSON.stringify(testimony)}`);
});
