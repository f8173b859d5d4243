// Seeds the demo data into a test's own database.

import { createToken } from '../../src/auth/tokens.ts';
import { attemptsMadeUpFor } from '../../src/commands/demo-deliveries.ts';
import type { App } from '../../src/context.ts';
import { DUMMY_HASH } from '../../src/services/sign-in/passwords.ts';
import { seedDemo } from '../../src/store/demo/seed.ts';

/** Seeds an empty store. @returns the first team's default key, which may do everything there */
export async function seedDemoKey(app: App): Promise<string> {
  const tokens: string[] = [];
  const secrets = {
    async issueKey() {
      const { token, hash, hint } = createToken();
      tokens.push(token);
      return { hash, hint };
    },
    issuePassword: async () => DUMMY_HASH,
  };
  await seedDemo(app.store, app.clock(), secrets, attemptsMadeUpFor(app));
  const [first] = tokens;
  if (first === undefined) throw new Error('The store holds a team already');
  return first;
}
