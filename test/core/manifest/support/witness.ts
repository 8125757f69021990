// Loaded before the program: at its end it writes to standard error, after a NUL, what was loaded, and the
// processor time and memory that it took.
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
  // `maxRSS` counts the parent's, too, of which a child is a copy until it runs its own program.
  const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const testimony = { urls: [...urls], kibibytes, microseconds: userCPUTime + systemCPUTime };
  process.stderr.write(`\u0000${JSON.stringify(testimony)}`);
});
