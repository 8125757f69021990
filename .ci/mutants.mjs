// Runs after Stryker: prints the score of each area, and fails if one is below its minimum.
import { readFileSync } from 'node:fs';

/** A file is of the first area whose pattern finds its path; `least` in per cent. */
const AREAS = [
  { name: 'guards', files: /^src\/core\/plan\/(guards\/|routes\/tables\.)/, least: 100 },
  { name: 'paths', files: /^src\/client\/http\/(path|address)\./, least: 100 },
  { name: 'batching', files: /batch|^src\/core\/plan\/requests\/(requests|order)\./, least: 0 },
  { name: 'planning', files: /^src\/core\/plan\//, least: 0 },
];
const LEAST_OVERALL = 96.8;

/** Mutants that make no difference to compilation and were not set aside in the source. */
function judged(file) {
  return file.mutants.filter(({ status }) =>
    ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status),
  );
}

function score(name, mutants, least) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [killed, timedOut, survived] = [count('Killed'), count('Timeout'), count('Survived', 'NoCoverage')];
  const percent = (100 * (killed + timedOut)) / mutants.length;
  return {
    name,
    mutants: mutants.length,
    killed,
    timedOut,
    survived,
    score: percent.toFixed(1),
    ok: percent >= least,
  };
}

const { files } = JSON.parse(readFileSync('coverage/mutants/report.json', 'utf8'));
const byArea = Map.groupBy(Object.keys(files), (path) => AREAS.find((area) => area.files.test(path)));
const scores = AREAS.map((area) =>
  score(
    area.name,
    (byArea.get(area) ?? []).flatMap((path) => judged(files[path])),
    area.least,
  ),
);
scores.push(score('all', Object.values(files).flatMap(judged), LEAST_OVERALL));
console.table(Object.fromEntries(scores.map(({ name, ok: _, ...figures }) => [name, figures])));
const low = scores.filter(({ ok }) => !ok).map(({ name }) => name);
if (low.length > 0) {
  console.error(`Too many mutants survive: ${low.join(', ')}. Each needs a test, or is needless code.`);
  process.exitCode = 1;
}
