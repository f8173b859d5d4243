// A browser in which a person has signed in still works for them while others guess at their account.
import { beforeEach, describe, expect, test } from 'vitest';
import * as users from '../../src/services/operator/users.ts';
import { createGateway, ownGateway } from '../support/gateway.ts';
import { Browser, createScene, requirePage, signIn } from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const ACCOUNT = 'http://localhost:4000/account';
let scene: Awaited<ReturnType<typeof createScene>>;
let networks = 0;

const gateway = await ownGateway();
beforeEach(async () => {
  await prismaOf(gateway.app.store).signInFailure.deleteMany();
  scene = await createScene(gateway);
});

/** A browser somewhere. */
function browserAt(address: string): Browser {
  return new Browser((url, { method, headers, body } = {}) => {
    const { pathname, search } = new URL(url);
    return gateway.send(pathname + search, {
      address,
      headers: Object.fromEntries(new Headers(headers)),
      ...(method !== undefined && { method }),
      ...(body !== undefined && { body: String(body) }),
    });
  });
}

async function signInAt(browser: Browser, password?: string): Promise<number> {
  const page = requirePage(await browser.open(ACCOUNT));
  return requirePage(await signIn(browser, page, scene.user.email, password)).status;
}

async function signOut(browser: Browser): Promise<void> {
  const page = requirePage(await browser.open(ACCOUNT));
  requirePage(await browser.submit(page, [], 'sign_out'));
}

/** A hundred wrong passwords, from ten networks. */
async function guess(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    const browser = browserAt(`10.11.${networks++}.1`);
    for (let tries = 0; tries < 10; tries++) expect(await signInAt(browser, 'wrong password')).toBe(422);
  }
}

describe('the owner of an account under attack', () => {
  test('signs in from anywhere if the guesses come from one place, which must wait', async () => {
    const elsewhere = browserAt('10.11.0.1');
    for (let i = 0; i < 10; i++) expect(await signInAt(elsewhere, 'wrong password')).toBe(422);
    expect(await signInAt(elsewhere)).toBe(429);
    expect(await signInAt(browserAt('10.12.0.1'))).toBe(200);
  });

  test.each(['account page', 'authorization'])(
    'signs in with the browser that they used before, when the guesses come from everywhere: %s',
    async (where) => {
      const own = browserAt(`10.13.${networks++}.1`);
      const begin = async () =>
        requirePage(
          await own.open(where === 'authorization' ? (await scene.platform.request()).url : ACCOUNT),
        );
      expect(requirePage(await signIn(own, await begin(), scene.user.email)).status).toBe(200);
      await signOut(own);
      await guess();
      expect(await signInAt(browserAt('10.14.0.1'))).toBe(429);
      expect(requirePage(await signIn(own, await begin(), scene.user.email)).status).toBe(200);
    },
  );

  test('is not recognized by the browser any more after a new password', async () => {
    const own = browserAt(`10.13.${networks++}.1`);
    expect(await signInAt(own)).toBe(200);
    await users.setPassword(gateway.app, scene.user.id, 'another long password');
    // The old password again, whose hash costs less: only the replacement matters.
    await prismaOf(gateway.app.store).user.update({
      where: { id: scene.user.id },
      data: { passwordHash: scene.user.passwordHash },
    });
    await guess();
    expect(await signInAt(own)).toBe(429);
  });
});

test('the cookie covers this host, is hidden from scripts and other sites, and contains no e-mail address', async () => {
  const browser = browserAt('10.15.0.1');
  await signInAt(browser);
  const line = browser.answers
    .flatMap(({ headers }) => headers.getSetCookie())
    .find((one) => one.startsWith('fgw_device='));
  expect(line).toMatch(/^fgw_device=[\w.~-]+; path=\/; max-age=15552000; samesite=lax; httponly$/);
  expect(line).not.toContain('example');
  const secure = await createGateway({ env: { AUTH_URL: 'https://localhost', SERVICE_HOST: 'localhost' } });
  const there = await createScene(secure);
  const page = requirePage(await there.browser.open('https://localhost/account'));
  requirePage(await signIn(there.browser, page, there.user.email));
  const lines = there.browser.answers.flatMap(({ headers }) => headers.getSetCookie());
  expect(lines.find((one) => one.includes('fgw_device'))).toMatch(
    /^__Host-fgw_device=.*; path=\/; .*; secure$/,
  );
  await secure.close();
});

test('a wrong password does not make a browser a recognized one', async () => {
  const browser = browserAt('10.16.0.1');
  expect(await signInAt(browser, 'wrong password')).toBe(422);
  expect(browser.jar.map(({ name }) => name)).not.toContain('fgw_device');
});
