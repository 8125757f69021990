import { databasesOn, type TestDatabases } from './postgres.ts';
import { shared } from './shared.ts';

/** The PostgreSQL that all test files share. The first request starts it, the end of the test run stops it. Tests must not stop it. */
export async function sharedPostgres(): Promise<TestDatabases> {
  return databasesOn(Number(await shared('postgres')));
}
