// What a trial of faults has in its database: callers of teams of their own, each with a workspace and an endpoint that is told of every
// change of a contact.
import { closeApp, createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config/config.ts';
import type { App } from '../../../src/context.ts';
import { createLogger } from '../../../src/output/log.ts';
import { applyMigrations } from '../../../src/store/migrations/migrations.ts';
import * as factories from '../../support/factories.ts';
import { prismaOf } from '../../support/prisma.ts';
import { SECRET_KEY } from '../secret-key.ts';
import type { Caller } from './load.ts';

/** Nobody listens there: every delivery stays due. */
const ENDPOINT = 'http://127.0.0.1:9/';
const EVENT_TYPES = ['contact.created', 'contact.updated', 'contact.deleted'];

/** The global id of a workspace. */
function workspaceRef(id: bigint | number): string {
  return btoa(`Workspace:${id}`);
}

async function withApp<T>(url: string, work: (app: App) => Promise<T>): Promise<T> {
  const log = createLogger('fatal', { write() {} });
  const secrets = { databaseUrl: url, secretKeys: () => [SECRET_KEY] };
  const app = createApp(parseConfig({}, '/').config, secrets, { log });
  return work(app).finally(() => closeApp(app));
}

/** Migrates a database and makes callers in it. */
export function createCallers(url: string, count: number): Promise<Caller[]> {
  return withApp(url, async (app) => {
    await applyMigrations(app.store.pool);
    const callers: Caller[] = [];
    for (let index = 0; index < count; index++) {
      const { id, teamId } = await factories.workspace(app);
      const { authorization } = await factories.apiKey(app, { teamId });
      await factories.webhookEndpoint(app, { workspaceId: id, url: ENDPOINT, eventTypeIds: EVENT_TYPES });
      const name = `team-${index}`;
      callers.push({
        name,
        authorization: authorization ?? '',
        workspaceId: id,
        workspaceRef: workspaceRef(id),
      });
    }
    return callers;
  });
}

/** Further keys for the team of a caller. @returns the values of their headers */
export function createKeys(
  url: string,
  { workspaceId }: Caller,
  count: number,
  scopes: readonly string[] = ['read', 'write'],
): Promise<string[]> {
  return withApp(url, async (app) => {
    const { teamId } = await prismaOf(app.store).workspace.findFirstOrThrow({
      where: { id: BigInt(workspaceId) },
    });
    const keys: string[] = [];
    for (let index = 0; index < count; index++) {
      const { authorization } = await factories.apiKey(app, { teamId, scopes });
      keys.push(authorization ?? '');
    }
    return keys;
  });
}

/** Rows of a caller's workspace. */
export async function createContacts(url: string, { workspaceId }: Caller, count: number): Promise<void> {
  await withApp(url, (app) => factories.contacts(app, BigInt(workspaceId), count));
}
