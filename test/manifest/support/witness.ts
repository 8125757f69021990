// Loaded before the program: at its end it writes to standard error, after a NUL, what was loaded, and the
// processor time and memory that it took.
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
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const testimony = { urls: [...urls], kibibytes: maxRSS, microseconds: userCPUTime + systemCPUTime };
  process.stderr.write(`\u0000${JSON.stringify(testimony)}`);
});
