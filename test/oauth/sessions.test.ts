// How sessions end: by a new password, by disabling a person. No concurrent request restores one.
import { describe, expect, test } from 'vitest';
import * as users from '../../src/services/operator/users.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import {
  allow,
  Browser,
  createScene,
  getTokens,
  requireLeft,
  requirePage,
  type Shown,
  signIn,
} from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const ACCOUNT = 'http://localhost:4000/account';
const NEW_PASSWORD = 'another long password';

type Scene = Awaited<ReturnType<typeof createScene>>;

const gateway = await ownGateway();

/** The ways to sign a person out everywhere; each leaves them one to sign in again. */
const ENDINGS: [string, (id: bigint) => Promise<unknown>][] = [
  ['a new password', (id) => users.setPassword(gateway.app, id, NEW_PASSWORD)],
  [
    'disabling and enabling',
    async (id) => {
      await users.disable(gateway.app, id);
      await users.enable(gateway.app, id);
    },
  ],
];

/** Runs `work` while this many requests wait that have already read their session. */
async function whileHeld<T>(requests: () => Promise<T>[], work: () => Promise<unknown>): Promise<T[]> {
  const client = await gateway.app.store.pool.connect();
  try {
    // Clients are looked at after sessions.
    await client.query('begin; lock table oauth_clients in access exclusive mode');
    const underWay = requests();
    await expect.poll(heldUp).toBe(underWay.length);
    await work();
    await client.query('commit');
    return await Promise.all(underWay);
  } finally {
    client.release();
  }
}

async function heldUp(): Promise<number | null> {
  const waiting = "select from pg_locks where relation = 'oauth_clients'::regclass and not granted";
  return (await gateway.app.store.pool.query(waiting)).rowCount;
}

/** Ends the sessions during an authorization request of the browser. */
async function endMeanwhile({ platform, browser, user }: Scene, end: (id: bigint) => Promise<unknown>) {
  const { url } = await platform.request();
  const [page] = await whileHeld(
    () => [browser.open(url)],
    () => end(user.id),
  );
  return page as Shown | URL;
}

/** The result of a request without a page. */
async function errorWithoutPrompt({ platform, browser }: Scene): Promise<string | null> {
  const { url } = await platform.request({ prompt: 'none', scope: 'account:read' });
  return requireLeft(await browser.open(url)).searchParams.get('error');
}

describe.each(ENDINGS)('%s', (_name, end) => {
  test('ends a session for good, even if a concurrent request writes it back', async () => {
    const scene = await createScene(gateway);
    await getTokens(scene);
    expect(requirePage(await endMeanwhile(scene, end)).text).toContain('name="password"');
    expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain('name="password"');
    expect(await errorWithoutPrompt(scene)).toBe('login_required');
  });

  test('ends a sign-in whose redirect was not followed yet', async () => {
    const scene = await createScene(gateway);
    const browser = new Browser(async (url, init) => {
      if (url.includes('/oauth/authorize/')) await end(scene.user.id);
      return scene.fetch(url, init);
    });
    const page = requirePage(await browser.open((await scene.platform.request()).url));
    const after = requirePage(await signIn(browser, page, scene.user.email));
    expect(after.text).toContain('name="password"');
    expect(requirePage(await browser.open(ACCOUNT)).text).toContain('name="password"');
  });

  test('makes an open consent page useless', async () => {
    const scene = await createScene(gateway);
    await getTokens(scene);
    const grants = () => prismaOf(gateway.app.store).oauthGrant.count({ where: { userId: scene.user.id } });
    const sent = await scene.platform.request({ scope: 'account:write' });
    const consent = requirePage(await scene.browser.open(sent.url));
    await endMeanwhile(scene, end);
    const before = await grants();
    const { status } = requirePage(await allow(scene.browser, consent, { teamId: scene.teamId }));
    expect([status, await grants()]).toEqual([401, before]);
  });
});

test('two tabs that return from their consent pages at once both succeed', async () => {
  const scene = await createScene(gateway);
  const gate = Promise.withResolvers<void>();
  let [isClosed, atGate] = [false, 0];
  const browser = new Browser(async (url, init) => {
    if (isClosed && url.includes('/oauth/authorize/')) {
      atGate++;
      await gate.promise;
    }
    return scene.fetch(url, init);
  });
  await getTokens({ ...scene, browser });
  const pages: Shown[] = [];
  for (const scope of ['account:write', 'funnels:write'])
    pages.push(requirePage(await browser.open((await scene.platform.request({ scope })).url)));
  isClosed = true;
  const tabs = pages.map((page) => allow(browser, page, { teamId: scene.teamId }));
  await expect.poll(() => atGate).toBe(2);
  const release = () => {
    gate.resolve();
    return tabs;
  };
  const back = await whileHeld(release, async () => {});
  expect(back.map((where) => requireLeft(where).searchParams.has('code'))).toEqual([true, true]);
  expect(requirePage(await browser.open(ACCOUNT)).text).toContain(scene.user.email);
});

test('a session ends twelve hours after its sign-in, however often it is used', async () => {
  const start = Date.now();
  let now = start;
  const later = await createGateway({ overrides: { clock: () => new Date(now) } });
  const scene = await createScene(later);
  await getTokens(scene);
  const errorAfter = async (seconds: number) => {
    now = start + seconds * 1_000;
    return errorWithoutPrompt(scene);
  };
  expect([await errorAfter(6 * 3_600), await errorAfter(11.9 * 3_600)]).toEqual([null, null]);
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain(scene.user.email);
  // Rows expire at full seconds: one that is used in its last second still exists after it, and is no longer valid.
  expect([await errorAfter(43_199.6), await errorAfter(43_200.3)]).toEqual([null, 'login_required']);
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain('name="password"');
  await later.close();
});
