// The page where a person sees and revokes grants.
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { Browser, createScene, getTokens, requirePage, type Shown, signIn } from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const ACCOUNT = 'http://localhost:4000/account';

const gateway = await sharedGateway();

/** One of the page's forms, in place of the first one. */
function withForm(page: Shown, button: string): Shown {
  const form = page.text.split('<form').find((part) => part.includes(button));
  return { ...page, text: `<form${form}` };
}

test('a person signs in, sees their grants, and revokes one: its tokens end at once', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene, { workspaceIds: [scene.first.id] });
  const browser = new Browser(scene.fetch);
  const page = requirePage(await signIn(browser, requirePage(await browser.open(ACCOUNT)), scene.user.email));
  expect(page.url).toBe(ACCOUNT);
  expect(page.text).toContain(scene.first.name);
  expect(page.text).not.toContain(scene.second.name);
  const after = requirePage(await browser.submit(withForm(page, 'withdraw'), [], 'withdraw'));
  expect(after.text).toContain('No application has access');
  const caller = { authorization: `Bearer ${tokens.access_token}` };
  expect((await gateway.send('/api/v2/teams', { caller })).status).toBe(401);
  await expect(scene.platform.refresh(tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  const next = await scene.platform.request({ scope: 'account:read' });
  expect(requirePage(await scene.browser.open(next.url)).text).toContain('asks for access');
});

test('revoking asks for confirmation with the application’s name; declining changes nothing', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene, { workspaceIds: [scene.first.id] });
  const caller = { authorization: `Bearer ${tokens.access_token}` };
  const status = async () => (await gateway.send('/api/v2/teams', { caller })).status;
  const { name } = await prismaOf(gateway.app.store).oauthClient.findUniqueOrThrow({
    where: { id: scene.platform.client.client_id },
  });
  const page = requirePage(await scene.browser.open(ACCOUNT));
  expect(page.text).not.toContain('value="withdraw"');
  const form = withForm(page, 'ask_to_withdraw');
  const question = requirePage(await scene.browser.submit(form, [], 'ask_to_withdraw'));
  expect(question.text).toContain(`Withdraw access of ${name}?`);
  expect(question.text).toContain(scene.first.name);
  expect(question.text).toContain('href="/account"');
  expect(await status()).toBe(200);
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain(name);
  const after = requirePage(await scene.browser.submit(withForm(question, '"withdraw"'), [], 'withdraw'));
  expect(after.text).toContain('Access withdrawn.');
  expect(await status()).toBe(401);
  // It was revoked meanwhile.
  const again = requirePage(await scene.browser.submit(form, [], 'ask_to_withdraw'));
  expect(again.text).toContain('No application has access');
});

test('a sign-in for an application is also one for the account page, and vice versa', async () => {
  const scene = await createScene(gateway);
  await getTokens(scene);
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain(scene.user.email);
  const browser = new Browser(scene.fetch);
  await signIn(browser, requirePage(await browser.open(ACCOUNT)), scene.user.email);
  const page = requirePage(await browser.open((await scene.platform.request()).url));
  expect(page.text).toContain('asks for access');
});

test('an application that was allowed twice is one entry; both devices work until it is revoked', async () => {
  const scene = await createScene(gateway);
  const { tokens: first } = await getTokens(scene, { workspaceIds: [scene.first.id] });
  const elsewhere = { ...scene, browser: new Browser(scene.fetch) };
  const { tokens: second } = await getTokens(elsewhere, { workspaceIds: [scene.second.id] });
  const statuses = () =>
    Promise.all(
      [first, second].map(async ({ access_token: token }) => {
        const caller = { authorization: `Bearer ${token}` };
        return (await gateway.send('/api/v2/teams', { caller })).status;
      }),
    );
  expect(await statuses()).toEqual([200, 200]);
  const page = requirePage(await scene.browser.open(ACCOUNT));
  expect(page.text.match(/>Withdraw access</g)).toHaveLength(1);
  expect(page.text).toContain(`${scene.first.name}, ${scene.second.name}`);
  expect(requirePage(await scene.browser.submit(withForm(page, 'withdraw'), [], 'withdraw')).text).toContain(
    'No application has access',
  );
  expect(await statuses()).toEqual([401, 401]);
});

test('every form redirects to the page (Post/Redirect/Get), which reports only what was done', async () => {
  const scene = await createScene(gateway);
  await getTokens(scene);
  const browser = new Browser(scene.fetch);
  const last = () =>
    browser.answers.slice(-2).map(({ status, headers }) => [status, headers.get('location')]);
  let page = requirePage(await signIn(browser, requirePage(await browser.open(ACCOUNT)), scene.user.email));
  expect(last()).toEqual([
    [303, '/account'],
    [200, null],
  ]);
  const stale = withForm(page, 'withdraw');
  page = requirePage(await browser.submit(stale, [], 'withdraw'));
  expect(last()[0]).toEqual([303, '/account?notice=withdrawn']);
  expect(page.text).toContain('<p class="notice" role="status">Access withdrawn.</p>');
  expect(requirePage(await browser.open(ACCOUNT)).text).not.toContain('role="status"');
  for (const notice of ['<b>x', 'constructor', 'toString', 'signed_out', 'Access%20withdrawn.'])
    expect(requirePage(await browser.open(`${ACCOUNT}?notice=${notice}`)).text).not.toContain(
      'role="status"',
    );
  await browser.submit(stale, [['grant', 'nothing']], 'else');
  expect(last()[0]).toEqual([303, '/account']);
  page = requirePage(await browser.submit(withForm(page, 'sign_out'), [], 'sign_out'));
  expect(last()[0]).toEqual([303, '/account?notice=signed_out']);
  expect(page.text).toContain('You are signed out.');
});

test('signing out ends the session, not only its cookie', async () => {
  const scene = await createScene(gateway);
  const browser = new Browser(scene.fetch);
  const page = requirePage(await signIn(browser, requirePage(await browser.open(ACCOUNT)), scene.user.email));
  const session = browser.jar.filter(({ name }) => name.startsWith('fgw_session'));
  const cookie = session.map(({ name, value }) => `${name}=${value}`).join('; ');
  expect(await (await scene.fetch(ACCOUNT, { headers: { cookie } })).text()).toContain(scene.user.email);
  expect(requirePage(await browser.submit(withForm(page, 'sign_out'), [], 'sign_out')).text).toContain(
    'Password',
  );
  expect(await (await scene.fetch(ACCOUNT, { headers: { cookie } })).text()).toContain('Password');
});

test('nobody revokes another person’s grant, or revokes with another browser’s form', async () => {
  const [scene, other] = [await createScene(gateway), await createScene(gateway)];
  const { tokens } = await getTokens(other);
  await getTokens(scene);
  const page = requirePage(await scene.browser.open(ACCOUNT));
  const { publicId } = await prismaOf(gateway.app.store).oauthGrant.findFirstOrThrow({
    where: { userId: other.user.id },
  });
  const signOutForm = withForm(page, 'sign_out');
  expect(requirePage(await scene.browser.submit(signOutForm, [['grant', publicId]], 'withdraw')).status).toBe(
    200,
  );
  expect(requirePage(await other.browser.submit(withForm(page, 'withdraw'), [], 'withdraw')).status).toBe(
    403,
  );
  expect(await other.platform.introspect(tokens.access_token)).toMatchObject({ active: true });
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain('Withdraw access');
});

test('the sign-in form works only in the browser that got it, and reports a failure', async () => {
  const scene = await createScene(gateway);
  const [shown, other] = [new Browser(scene.fetch), new Browser(scene.fetch)];
  const page = requirePage(await shown.open(ACCOUNT));
  await other.open(ACCOUNT);
  expect(requirePage(await signIn(other, page, scene.user.email)).status).toBe(403);
  const failed = requirePage(await signIn(shown, page, scene.user.email, 'not the password'));
  expect([failed.status, failed.text.includes('is wrong')]).toEqual([422, true]);
  expect(requirePage(await signIn(shown, failed, scene.user.email)).text).toContain(
    'No application has access',
  );
});

test('a person who changes their password stays signed in here, and other browsers and the old password are out', async () => {
  const scene = await createScene(gateway);
  const { tokens } = await getTokens(scene);
  const browser = new Browser(scene.fetch);
  let page = requirePage(await signIn(browser, requirePage(await browser.open(ACCOUNT)), scene.user.email));
  const session = browser.jar.find(({ name }) => name === 'fgw_session')?.value;
  const next = 'a password of one’s own';
  const send = (current: string, password = next, again = password) =>
    browser.submit(
      withForm(page, 'change_password'),
      [
        ['current', current],
        ['password', password],
        ['again', again],
      ],
      'change_password',
    );
  for (const [current, password, again, text] of [
    ['not the password', next, next, 'The current password is wrong.'],
    [PASSWORD, 'short', 'short', 'must have 12 to 200 characters.'],
    [PASSWORD, next, `${next}!`, 'Type the same one twice.'],
  ] as const) {
    page = requirePage(await send(current, password, again));
    expect([page.status, page.text.includes(text), page.text.includes(password)]).toEqual([422, true, false]);
  }
  page = requirePage(await send(PASSWORD));
  expect(browser.answers.at(-2)?.headers.get('location')).toBe('/account?notice=password_changed');
  expect(page.text).toContain('you are signed out in every other browser');
  expect(browser.jar.find(({ name }) => name === 'fgw_session')?.value).not.toBe(session);
  expect(requirePage(await browser.open(ACCOUNT)).text).toContain(scene.user.email);
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).toContain('autocomplete="current-password"');
  expect(requirePage(await scene.browser.open(ACCOUNT)).text).not.toContain(scene.user.email);
  const fresh = new Browser(scene.fetch);
  const signInWith = async (password: string) =>
    requirePage(await signIn(fresh, requirePage(await fresh.open(ACCOUNT)), scene.user.email, password))
      .status;
  expect([await signInWith(PASSWORD), await signInWith(next)]).toEqual([422, 200]);
  const caller = { authorization: `Bearer ${tokens.access_token}` };
  expect((await gateway.send('/api/v2/teams', { caller })).status).toBe(200);
});

test('only its owner changes a password, in the browser that got the form', async () => {
  const [scene, other] = [await createScene(gateway), await createScene(gateway)];
  await getTokens(scene);
  await getTokens(other);
  const page = withForm(requirePage(await scene.browser.open(ACCOUNT)), 'change_password');
  const fields: [string, string][] = [
    ['current', PASSWORD],
    ['password', 'another long password'],
    ['again', 'another long password'],
  ];
  expect(requirePage(await other.browser.submit(page, fields, 'change_password')).status).toBe(403);
  expect(requirePage(await new Browser(other.fetch).submit(page, fields, 'change_password')).status).toBe(
    403,
  );
  const anew = new Browser(other.fetch);
  expect(
    requirePage(await signIn(anew, requirePage(await anew.open(ACCOUNT)), other.user.email)).status,
  ).toBe(200);
});
