import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of test/support/serve-shared.ts. */
    readonly sharedPort: number;
  }
}

/** Where that is which all test files share; made when the first asks. */
export async function shared(name: 'package' | 'postgres' | 'program'): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${inject('sharedPort')}/${name}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
