// Writes standard input as the plan's note on a merge request. It updates the note of an earlier pipeline.
// FWDSYNC_GITLAB_TOKEN is a project access token with the scope `api`: the job's own token cannot write notes.
import { env } from 'node:process';
import { text } from 'node:stream/consumers';

const MARKER = '<!-- fwdsync plan -->';
const NOTES = `/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`;

const body = `${MARKER}\n${await text(process.stdin)}`;
const earlier = await findNote();
if (earlier === null) await gitlab('POST', NOTES, { body });
else await gitlab('PUT', `${NOTES}/${earlier}`, { body });

/** Returns the id of the note that an earlier pipeline made. People may quote its text. */
async function findNote() {
  const { id: self } = await gitlab('GET', '/user');
  for (let page = 1; ; page += 1) {
    const notes = await gitlab('GET', `${NOTES}?per_page=100&page=${page}`);
    const own = notes.find(({ author, body: found }) => author.id === self && found.startsWith(MARKER));
    if (own !== undefined) return own.id;
    if (notes.length < 100) return null;
  }
}

async function gitlab(method, path, content) {
  const answer = await fetch(`${env.CI_API_V4_URL}${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': env.FWDSYNC_GITLAB_TOKEN, 'Content-Type': 'application/json' },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    redirect: 'error',
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
