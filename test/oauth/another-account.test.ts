// "Not you? Use another account": what the second person at a shared computer does on the consent page of the first one's session.
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import {
  allow,
  type Browser,
  createScene,
  getTokens,
  requireLeft,
  requirePage,
  signIn,
} from '../support/oauth.ts';

const gateway = await sharedGateway();

/** A person with a session, before the consent page for another request. */
async function atConsent() {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene);
  const sent = await scene.platform.request({ scope: 'funnels:write' });
  const page = requirePage(await scene.browser.open(sent.url));
  expect(page.text).toContain(scene.user.email);
  return { ...scene, tokens, sent, page };
}

/** The person on the account page by the browser's earlier cookies. */
async function accountBy(jar: Browser['jar']): Promise<string> {
  const cookie = jar.map(({ name, value }) => `${name}=${value}`).join('; ');
  return (await gateway.send('/account', { headers: { cookie } })).text();
}

test('another person who signs in on the same request decides for themselves, and the first one is signed out', async () => {
  const { browser, page, platform, sent, tokens, user } = await atConsent();
  const other = await createScene(gateway);
  const before = [...browser.jar];
  expect(await accountBy(before)).toContain(user.email);
  const signInPage = requirePage(await browser.submit(page, [], 'switch'));
  expect(browser.answers.slice(-2).map(({ status }) => status)).toEqual([303, 200]);
  expect([signInPage.url, signInPage.text.includes('name="password"')]).toEqual([page.url, true]);
  expect(signInPage.text).not.toContain(user.email);
  expect(await accountBy(before)).not.toContain(user.email);
  // The earlier page, in another tab, has no effect any more.
  expect(requirePage(await allow(browser, page, { teamId: other.teamId })).status).toBe(403);
  const consent = requirePage(await signIn(browser, signInPage, other.user.email));
  expect(consent.text).toContain(other.user.email);
  const back = requireLeft(await allow(browser, consent, { teamId: other.teamId }));
  const theirs = await platform.redeem(back, sent);
  expect(await platform.introspect(theirs.access_token)).toMatchObject({ sub: other.user.publicId });
  expect(await platform.introspect(tokens.access_token)).toMatchObject({ active: true });
});

test('a person who changes their mind signs in as themselves, or goes back without', async () => {
  const same = await atConsent();
  const again = requirePage(await same.browser.submit(same.page, [], 'switch'));
  const consent = requirePage(await signIn(same.browser, again, same.user.email));
  const back = requireLeft(await allow(same.browser, consent, { teamId: same.teamId }));
  expect((await same.platform.redeem(back, same.sent)).scope).toBe('funnels:write');
  const gone = await atConsent();
  const left = requirePage(await gone.browser.submit(gone.page, [], 'switch'));
  const denied = requireLeft(await gone.browser.submit(left, [], 'deny'));
  expect(denied.searchParams.get('error')).toBe('access_denied');
});

test('a forged form signs nobody out', async () => {
  const { browser, page, user } = await atConsent();
  const forged = { ...page, text: page.text.replace(/name="csrf" value="[^"]*"/, 'name="csrf" value="x"') };
  expect(requirePage(await browser.submit(forged, [], 'switch')).status).toBe(403);
  expect(await accountBy(browser.jar)).toContain(user.email);
});
