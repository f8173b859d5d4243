// The real gateway on a free port, with the demo data in a database of its own, and the demo's person with a password.
import { createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { App } from '../../src/context.ts';
import { createDemoLink } from '../../src/graphiql/demo-link.ts';
import { listen } from '../../src/http/listener.ts';
import { createLogger } from '../../src/output/log.ts';
import { setPassword } from '../../src/services/operator/users.ts';
import { DEMO_EMAIL } from '../../src/store/demo/person.ts';
import { seedDemoKey } from '../support/demo.ts';
import { cloneTemplate, TEST_SECRET_KEY } from '../support/gateway.ts';

export interface DemoGateway {
  readonly url: string;
  /** The same server by the name that its authorization server goes by. */
  readonly issuer: string;
  /** The first team's key, which may do everything there. */
  readonly apiKey: string;
  /** Of the signed-in link: good once. */
  readonly demoCode: string;
  /** Who owns the demo's teams. */
  readonly person: { readonly email: string; readonly password: string };
  readonly app: App;
  close(): Promise<void>;
}

export async function startDemoGateway(): Promise<DemoGateway> {
  const database = await cloneTemplate();
  const { config } = parseConfig({ PORT: '0', POOL_SIZE: '4', SHUTDOWN_TIMEOUT_MS: '0' }, '/');
  const log = createLogger('error', process.stderr);
  const app = createApp(config, { databaseUrl: database.url, secretKeys: () => [TEST_SECRET_KEY] }, { log });
  const apiKey = await seedDemoKey(app);
  const person = { email: DEMO_EMAIL, password: 'a password of the browser tests' };
  await setPassword(app, person.email, person.password);
  const demoLink = createDemoLink(apiKey, app.clock);
  const listener = await listen(app, demoLink);
  return {
    url: `http://127.0.0.1:${listener.port}`,
    issuer: `http://localhost:${listener.port}`,
    apiKey,
    demoCode: demoLink.code,
    person,
    app,
    async close() {
      await listener.close();
      await app.store.close();
      await database.drop();
    },
  };
}
