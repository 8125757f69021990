import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { databasesOn, type TestDatabases } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run of all tests says on which port the PostgreSQL is that they share. */
    readonly postgresAsked: number;
  }
}

/** The PostgreSQL that all test files share: started for the first that asks, and ended with the run. Nobody may end it before. */
export async function sharedPostgres(): Promise<TestDatabases> {
  const answer = await text(createConnection(inject('postgresAsked'), '127.0.0.1'));
  if (!/^\d+$/.test(answer)) throw new Error(answer);
  return databasesOn(Number(answer));
}
