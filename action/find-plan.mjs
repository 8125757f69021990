// Finds the plan that was made in the pull request of the commit that is checked out, and tells the next steps where it is.
import { appendFile } from 'node:fs/promises';
import { env } from 'node:process';
import { github } from './github-api.mjs';

const merged = (await github('GET', `/commits/${env.GITHUB_SHA}/pulls`)).find(
  ({ merged_at, merge_commit_sha }) => merged_at !== null && merge_commit_sha === env.GITHUB_SHA,
);
const name = `fwdsync-plan-${merged?.head.sha}`;
const found = merged === undefined ? undefined : await newestArtifact();
const outputs =
  found === undefined ? 'found=false\n' : `found=true\nname=${name}\nrun-id=${found.workflow_run.id}\n`;
await appendFile(env.GITHUB_OUTPUT, outputs);
console.log(found === undefined ? 'No plan was made for this commit.' : `The plan is ${name}.`);

/** Of a pull request that was planned several times the last plan counts: it is the one in the comment. */
async function newestArtifact() {
  const { artifacts } = await github('GET', `/actions/artifacts?name=${name}&per_page=100`);
  return artifacts
    .filter(({ expired }) => !expired)
    .sort((a, b) => b.created_at.localeCompare(a.created_at))[0];
}
