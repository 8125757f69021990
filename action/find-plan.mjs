// Finds the plan of the pull request of the checked-out commit, and passes its location to the next steps.
import { appendFile } from 'node:fs/promises';
import { env } from 'node:process';
import { github } from './github-api.mjs';

const merged = (await github('GET', `/commits/${env.GITHUB_SHA}/pulls`)).find(
  ({ merged_at, merge_commit_sha, head }) =>
    merged_at !== null &&
    merge_commit_sha === env.GITHUB_SHA &&
    head.repo?.full_name === env.GITHUB_REPOSITORY,
);
const name = `fwdsync-plan-${merged?.head.sha}`;
const found = merged === undefined ? undefined : await lastArtifact(merged.head);
const outputs =
  found === undefined ? 'found=false\n' : `found=true\nname=${name}\nrun-id=${found.workflow_run.id}\n`;
await appendFile(env.GITHUB_OUTPUT, outputs);
console.log(found === undefined ? 'No plan was made for this commit.' : `The plan is ${name}.`);

/**
 * The artifact of a run of that very commit in this very repository. Its name says nothing: a run of any commit, of a
 * fork's pull request too, can keep an artifact under any name here. Of a commit that was planned several times the last
 * plan counts: it is the one in the comment.
 */
async function lastArtifact({ sha, repo }) {
  const { artifacts } = await github('GET', `/actions/artifacts?name=${name}&per_page=100`);
  return artifacts
    .filter(
      ({ expired, workflow_run: run }) =>
        !expired &&
        run?.head_sha === sha &&
        run.repository_id === repo.id &&
        run.head_repository_id === repo.id,
    )
    .sort((a, b) => b.created_at.localeCompare(a.created_at))[0];
}
