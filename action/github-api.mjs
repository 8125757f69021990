// Client for GitHub's REST API. Its address, the repository and the token come from the environment.
import { env } from 'node:process';

/** The answer's JSON; throws where GitHub refuses. */
export async function github(method, path, body) {
  const response = await fetch(`${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      'x-github-api-version': '2022-11-28',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response.json();
  throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}
