import { databasesOn, type TestDatabases } from './postgres.ts';
import { shared } from './shared.ts';

/** The PostgreSQL that all test files share: started for the first that asks, and ended with the run. Nobody may end it before. */
export async function sharedPostgres(): Promise<TestDatabases> {
  return databasesOn(Number(await shared('postgres')));
}
