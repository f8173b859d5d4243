// Caching of the rights behind a webhook endpoint.
import { expect, test } from 'vitest';
import { mayStillReceive } from '../../src/services/webhooks/webhook-rights.ts';
import { createGateway } from '../support/gateway.ts';

const SUBSCRIPTION = { workspaceId: 1n, actorKind: 'oauth', actorId: 'abc', clientId: 'app' } as const;

test('a granted right is cached until a revocation is announced; a refused one is checked each time', async () => {
  const { app, close } = await createGateway({ env: { LOOKUP_CACHE_MS: '60000' } });
  try {
    const answers = [false, true, false];
    let asked = 0;
    const mayBeTold = () =>
      mayStillReceive(app, SUBSCRIPTION, 'contact.created', async () => answers[asked++] ?? false);
    // Nothing is remembered before announcements can arrive.
    const remembers = async () => {
      let loaded = 0;
      for (let i = 0; i < 2; i++) await app.lookups.remember('test', async () => ({ loaded: ++loaded }));
      return loaded < 2;
    };
    await expect.poll(remembers, { timeout: 60_000 }).toBe(true);

    expect([await mayBeTold(), await mayBeTold(), await mayBeTold()]).toEqual([false, true, true]);
    expect(asked).toBe(2);
    await app.lookups.forget();
    expect(await mayBeTold()).toBe(false);
  } finally {
    await close();
  }
});
