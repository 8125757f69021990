import type { WhyDocument } from '../../../../../src/service/why/why-document.ts';
import type { CommandInput, CommandScene } from '../../../support/scene.ts';

/** Asks why a message did not arrive; `code` is the exit code. */
export async function why(
  scene: CommandScene,
  args: readonly string[],
  input: CommandInput = {},
): Promise<{ readonly code: number; readonly document: WhyDocument }> {
  const { code, stdout, stderr } = await scene.run(['why', ...args, '--format', 'json'], input);
  if (stdout === '') throw new Error(stderr);
  return { code, document: JSON.parse(stdout) as WhyDocument };
}
