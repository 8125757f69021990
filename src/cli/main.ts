#!/usr/bin/env node
import { nodeFault } from './node-version.ts';

// Everything else is loaded after this check: an older Node cannot even link it.
const fault = nodeFault(process.versions.node);
if (fault === null) {
  (await import('./compile-cache.ts')).enableCompileCache();
  await (await import('./execute.ts')).start();
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
