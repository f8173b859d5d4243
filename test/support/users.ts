// Users of the test server that own nothing, for tests of a gateway with only some grants.

import { query } from './cluster.ts';
import { asAdministrator } from './gateway.ts';

let made = 0;

/** A user of a database. @param grants the statements that give the user its rights @returns its connection string */
export async function createUser(
  databaseUrl: string,
  grants: (user: string) => string,
  attributes = '',
): Promise<{ url: string; user: string; drop(): Promise<void> }> {
  const user = `user_${process.pid}_${Date.now()}_${made++}`;
  const administratorUrl = asAdministrator(databaseUrl);
  await query(administratorUrl, `create role ${user} login ${attributes}; ${grants(user)}`);
  const url = new URL(databaseUrl);
  url.username = user;
  return {
    url: url.href,
    user,
    drop: async () => void (await query(administratorUrl, `drop owned by ${user}; drop role ${user}`)),
  };
}
