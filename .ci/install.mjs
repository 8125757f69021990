// Runs before `npm start` and `npm test`, possibly under an older Node and with nothing installed:
// installs the locked dependencies when they are missing or older than the lock file.
import { execSync } from 'node:child_process';
import { statSync } from 'node:fs';

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (modifiedAt('node_modules/.package-lock.json') < modifiedAt('package-lock.json')) {
  console.error('Installing the locked dependencies (once; about half a minute) ...');
  // `npm ci` refuses a lock without the bindings of platforms that a registry does not carry; `npm install` takes it as it is.
  execSync('npm install --no-save --no-audit --no-fund --loglevel=error', {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
