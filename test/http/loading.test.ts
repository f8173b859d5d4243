// A gateway with trusted documents starts when they have been found to be executable, and answers earlier requests on its open port.
import { afterAll, expect, test, vi } from 'vitest';
import { StartupError } from '../../src/errors.ts';
import { listen } from '../../src/http/listener.ts';
import { freePort } from '../support/free-port.ts';
import { createGateway } from '../support/gateway.ts';
import { codegenManifest, writeManifests } from '../support/trusted-documents.ts';

/** The result of loading the GraphQL API. */
let loaded = Promise.withResolvers<never>();
vi.mock('../../src/graphql/load.ts', () => ({
  graphqlOf: () => () => loaded.promise,
  graphqlScopes: async () => [],
}));

const files = await writeManifests(codegenManifest('{ viewer { kind } }'));
const gateway = await createGateway();
afterAll(async () => {
  await files.remove();
  await gateway.close();
});

/** Starts a gateway whose API is loaded once `loaded` is resolved. */
async function start() {
  loaded = Promise.withResolvers();
  const { config } = gateway.app;
  const port = await freePort();
  const trustedDocuments = { ...config.trustedDocuments, files: files.paths };
  const listening = listen({ ...gateway.app, config: { ...config, port, trustedDocuments } });
  listening.catch(() => {});
  const alive = () => fetch(`http://127.0.0.1:${port}/healthz`);
  return { listening, alive, isOpen: () => vi.waitFor(alive, { timeout: 10_000 }) };
}

test('requests that come while trusted documents are read are answered', async () => {
  const { listening, isOpen } = await start();
  expect((await isOpen()).status).toBe(200);
  loaded.resolve(undefined as never);
  await (await listening).close();
});

test('a failed start answers nothing any more', async () => {
  const { listening, alive, isOpen } = await start();
  await isOpen();
  loaded.reject(new StartupError('Trusted documents: no'));
  await expect(listening).rejects.toThrow('Trusted documents: no');
  await expect(alive()).rejects.toThrow('fetch failed');
});

test('Prisma is loaded without waiting for anything else', async () => {
  loaded = Promise.withResolvers();
  const loadPrisma = vi.fn(gateway.app.store.loadPrisma);
  const { config } = gateway.app;
  const app = { ...gateway.app, store: { ...gateway.app.store, loadPrisma } };
  const listener = await listen({ ...app, config: { ...config, port: await freePort() } });
  await vi.waitFor(() => expect(loadPrisma).toHaveBeenCalled(), { timeout: 10_000 });
  loaded.resolve(undefined as never);
  await listener.close();
});
