// Writes standard input as the plan's comment on a pull request. It updates the comment of an earlier run.
import { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { github } from './github-api.mjs';

const MARKER = `<!-- fwdsync plan ${env.COMMENT_KEY ?? ''} -->`;

const body = `${MARKER}\n${await text(process.stdin)}`;
const earlier = await findComment();
if (earlier === null) await github('POST', `/issues/${env.PULL_REQUEST}/comments`, { body });
else await github('PATCH', `/issues/comments/${earlier}`, { body });

/** The id of the comment that an earlier run made; people may quote its text. */
async function findComment() {
  for (let page = 1; ; page += 1) {
    const comments = await github('GET', `/issues/${env.PULL_REQUEST}/comments?per_page=100&page=${page}`);
    const own = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(MARKER));
    if (own !== undefined) return own.id;
    if (comments.length < 100) return null;
  }
}
