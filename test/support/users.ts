// Users of the test server that own nothing: what the gateway does, or says, for one who is granted some of it.

import { query } from './cluster.ts';
import { asAdministrator } from './gateway.ts';

let made = 0;

/** A user of a database. @param grants the statements that grant what the user may do @returns its connection string */
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
