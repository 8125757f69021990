// Installs the locked dependencies if they are missing or older than the lock file. It runs before `npm start` and `npm test`,
// possibly under an older Node and with nothing installed.
import { execSync } from 'node:child_process';
import { statSync } from 'node:fs';

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (modifiedAt('node_modules/.package-lock.json') < modifiedAt('package-lock.json')) {
  console.error('Installing the locked dependencies (once; about half a minute) ...');
  // `npm ci` refuses a lock file that lacks bindings for some platforms. `npm install` accepts it.
  execSync('npm install --no-save --no-audit --no-fund --loglevel=error', {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
