// Checks the files of a release and prints its notes:
//   node .ci/release.mjs check v1.2.3   fails if a file states another version than the tag, or if the changelog has no section
//   node .ci/release.mjs notes v1.2.3   prints that section of the changelog
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [action, tag = '', directory = join(import.meta.dirname, '..')] = process.argv.slice(2);
const read = (path) => readFileSync(join(directory, path), 'utf8');

/** The version as each file states it, once or several times. */
const STATED = [
  ['package.json', /^ {2}"version": "([^"]+)"/gm],
  ['package-lock.json', /^(?: {2}| {6})"version": "([^"]+)"/gm],
  ['action.yml', /\bfwdsync@([\d.]+\S*)/g],
  ['README.md', /\bfwdsync-(\d\S*)\.tgz/g],
  ['examples/hooks/.pre-commit-config.yaml', /rev: v(\S+)/g],
  ['examples/ci/gitlab/.gitlab-ci.yml', /\bfwdsync@([\d.]+\S*)/g],
  ...['drift', 'merge', 'pull-request'].map((name) => [
    `examples/ci/github/${name}.yml`,
    /(?:fwdsync\/fwdsync@|ref: )v(\d\S*)/g,
  ]),
];

/** Of the lock, its own version alone: the first two. */
function versionsIn(path, pattern) {
  const found = [...read(path).matchAll(pattern)].map(([, version]) => version);
  return path === 'package-lock.json' ? found.slice(0, 2) : found;
}

/** The text below `## 1.2.3` or `## 1.2.3 - DATE`, up to the next section. Returns null if there is none. */
function notesOf(version) {
  const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return section?.slice(section.indexOf('\n')).trim() || null;
}

function faultsOf(version) {
  const faults = STATED.flatMap(([path, pattern]) => {
    const found = versionsIn(path, pattern);
    if (found.length === 0) return [`${path} states no version`];
    return [...new Set(found)]
      .filter((one) => one !== version)
      .map((one) => `${path} has version ${one}, not ${version}`);
  });
  const noNotes = notesOf(version) === null ? [`CHANGELOG.md has no section "## ${version}" with text`] : [];
  return [...faults, ...noNotes];
}

const [, version] = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag) ?? [];
const isKnown = action === 'check' || action === 'notes';
const faults =
  version === undefined || !isKnown ? ['usage: node .ci/release.mjs check|notes v1.2.3'] : faultsOf(version);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else {
  console.log(action === 'notes' ? notesOf(version) : `${tag}: every file states it`);
}
