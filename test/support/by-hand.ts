import type { EmulatorCore } from '../../src/emulator/emulator.ts';

/**
 * Changes the first account of an emulator as another user does in the dashboard. `path` begins with the version. Rejects if the
 * change is refused.
 */
export async function byHand(
  { accounts }: Pick<EmulatorCore, 'accounts'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<void> {
  const [[key, account] = []] = accounts;
  const outcome = await account?.dispatch({
    method,
    target: path,
    headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (outcome?.kind === 'answer' && outcome.answer.status < 300) return;
  throw new Error(`${method} ${path} is refused: ${JSON.stringify(outcome)}`);
}
