import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of test/support/serve-shared.ts. */
    readonly sharedPort: number;
  }
}

/** Returns the place of a resource that all test files share. The first request creates it. */
export async function shared(name: 'package' | 'postgres' | 'program'): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${inject('sharedPort')}/${name}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
