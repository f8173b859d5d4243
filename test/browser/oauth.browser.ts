// A person signs in, grants, denies and withdraws in a real browser, with JavaScript and without. Screenshots go to the
// folder of chromium.ts.
import { afterAll, describe, expect, test } from 'vitest';
import { pageNotBuilt } from '../../src/http/page-not-built.ts';
import { sampleAt } from '../support/nightly.ts';
import { prismaOf } from '../support/prisma.ts';
import { axeFindings } from './axe.ts';
import { provideDemoBrowser } from './chromium.ts';
import { press, signIn, tick } from './person.ts';
import { type Platform, startPlatform } from './platform.ts';

const SCOPES = 'account:read contacts:read funnels:write';
let platform: Platform;
const demo = provideDemoBrowser(async (server) => {
  platform = await startPlatform(server, 'Mailpilot');
});
afterAll(() => platform?.close());

/** Sends the person from the platform to the gateway. */
async function begin(scope = SCOPES) {
  const { url, checks } = await platform.begin(scope);
  await demo.page.goto(url);
  return checks;
}

const backAtPlatform = async (): Promise<URL> => {
  await demo.page.getByRole('heading', { name: 'Back at the platform' }).waitFor();
  return new URL(demo.page.url());
};

const teamNames = async (): Promise<string[]> =>
  (await prismaOf(demo.server.app.store).team.findMany({ orderBy: { id: 'asc' } })).map(({ name }) => name);

const callRest = (path: string, accessToken: string) =>
  fetch(new URL(path, demo.server.issuer), { headers: { authorization: `Bearer ${accessToken}` } });

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a person in a browser %s', (_, javaScriptEnabled) => {
  test('signs in and grants some scopes, and the platform can use only those', async () => {
    await demo.open({ javaScriptEnabled });
    const checks = await begin();
    await demo.page.getByText('Mailpilot').waitFor();
    await signIn(demo.page, demo.server.person);

    await demo.page.getByRole('heading', { name: 'Mailpilot asks for access' }).waitFor();
    const [team = ''] = await teamNames();
    const change = demo.page.getByLabel('Change funnels and sites, their pages and splits');
    expect(await change.isChecked()).toBe(false);
    await tick(demo.page, team);
    await demo.page.getByLabel('Only the workspaces that I choose').locator('visible=true').check();
    const workspaces = demo.page
      .getByRole('group', { name: `Chosen workspaces of ${team}` })
      .getByRole('checkbox');
    await workspaces.first().check();
    await press(demo.page, 'Allow');

    const tokens = await platform.finish((await backAtPlatform()).href, checks);
    expect(tokens.scope?.split(' ').sort()).toEqual(['account:read', 'contacts:read']);
    const teams = (await (await callRest('/api/v2/teams', tokens.access_token)).json()) as { name: string }[];
    expect(teams.map(({ name }) => name)).toEqual([team]);
    const list = await callRest(`/api/v2/teams/1/workspaces`, tokens.access_token);
    expect(await list.json()).toHaveLength(1);
    expect(demo.record.problems).toEqual([]);
    const foreign = demo.record.requests.filter(
      ({ url }) => ![demo.server.issuer, platform.origin].includes(new URL(url).origin),
    );
    expect(foreign).toEqual([]);
  });

  test('sees the error, and keeps the typed address', async () => {
    await demo.open({ javaScriptEnabled });
    await begin();
    await signIn(demo.page, { email: demo.server.person.email, password: 'not the password' });
    const alert = demo.page.getByRole('alert');
    expect(await alert.innerText()).toBe('E-mail address or password is wrong.');
    expect(await demo.page.getByLabel('E-mail address').inputValue()).toBe(demo.server.person.email);
    expect(await demo.page.getByLabel('Password').inputValue()).toBe('');
    await signIn(demo.page, demo.server.person);
    await demo.page.getByRole('heading', { name: 'Mailpilot asks for access' }).waitFor();
  });

  test('denies on the first or second page, and the platform learns only that', async () => {
    await demo.open({ javaScriptEnabled });
    const checks = await begin();
    await press(demo.page, 'Cancel');
    const first = await backAtPlatform();
    expect(first.searchParams.get('error')).toBe('access_denied');
    await expect(platform.finish(first.href, checks)).rejects.toThrow();

    await begin();
    await signIn(demo.page, demo.server.person);
    await press(demo.page, 'Deny');
    const second = await backAtPlatform();
    expect(second.searchParams.get('error')).toBe('access_denied');
    expect(second.searchParams.get('iss')).toBe(demo.server.issuer);
    expect(second.searchParams.has('code')).toBe(false);
  });

  test('cannot allow an empty selection: the page says what is missing', async () => {
    await demo.open({ javaScriptEnabled });
    await begin('contacts:read');
    await signIn(demo.page, demo.server.person);
    const [team = ''] = await teamNames();
    await tick(demo.page, team);
    await demo.page.getByLabel('Read contacts, their tags and appointments, and saved filters').uncheck();
    await press(demo.page, 'Allow');
    expect(await demo.page.getByRole('alert').innerText()).toContain('at least one thing');
    expect(await demo.page.getByLabel(team, { exact: true }).isChecked()).toBe(true);
  });

  test('revokes the grant on the account page, and the token is invalid', async () => {
    await demo.open({ javaScriptEnabled });
    const checks = await begin('account:read');
    await signIn(demo.page, demo.server.person);
    const [team = ''] = await teamNames();
    await tick(demo.page, team);
    await press(demo.page, 'Allow');
    const tokens = await platform.finish((await backAtPlatform()).href, checks);
    expect((await callRest('/api/v2/teams', tokens.access_token)).status).toBe(200);

    // The session of the authorization page is the account page's too.
    await demo.page.goto(`${demo.server.issuer}/account`);
    await demo.page.getByRole('heading', { name: 'Applications with access' }).waitFor();
    const withdraw = demo.page.getByRole('button', { name: /^Withdraw access of Mailpilot/ });
    for (let left = await withdraw.count(); left > 0; left -= 1) {
      await withdraw.first().click();
      await demo.page.getByRole('heading', { name: /^Withdraw access of .*\?$/ }).waitFor();
      await withdraw.click();
      await demo.page.getByRole('status').waitFor();
    }
    await expect.poll(() => withdraw.count()).toBe(0);
    await expect.poll(async () => (await callRest('/api/v2/teams', tokens.access_token)).status).toBe(401);

    await press(demo.page, 'Sign out');
    await demo.page.getByLabel('Password').waitFor();
    await demo.page.reload();
    await demo.page.getByLabel('Password').waitFor();
    expect(demo.record.problems).toEqual([]);
  });
});

test('someone signs in on the account page alone', async () => {
  await demo.open();
  await demo.page.goto(`${demo.server.issuer}/account`);
  await signIn(demo.page, demo.server.person);
  await demo.page.getByRole('heading', { name: 'Applications with access' }).waitFor();
  expect(demo.record.problems).toEqual([]);
});

test('the keyboard alone is enough, and pressing Enter by accident grants nothing', async () => {
  await demo.open();
  await begin('contacts:read');
  // The browser puts the focus there as it shows the page, which may be after it has loaded it.
  await demo.page.locator('input[name=email]:focus').waitFor();
  await demo.page.keyboard.type(demo.server.person.email);
  await demo.page.keyboard.press('Tab');
  await demo.page.keyboard.type(demo.server.person.password);
  await demo.page.keyboard.press('Enter');
  const first = demo.page.getByRole('checkbox').first();
  await first.focus();
  await demo.page.keyboard.press('Enter');
  expect((await backAtPlatform()).searchParams.get('error')).toBe('access_denied');
});

test('an abandoned page cannot be used in another browser', async () => {
  await demo.open();
  await begin();
  const address = demo.page.url();
  const elsewhere = await demo.openElsewhere();
  await elsewhere.goto(address);
  await elsewhere.getByRole('heading', { name: 'This page has expired' }).waitFor();
});

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('on the account page, in a browser %s', (_, javaScriptEnabled) => {
  test('a person changes their password, and signs in with it', async () => {
    await demo.open({ javaScriptEnabled });
    const { person } = demo.server;
    const changed = 'a password of one’s own';
    const change = async (current: string, password: string) => {
      await demo.page.getByLabel('Current password').fill(current);
      await demo.page.getByLabel('New password', { exact: true }).fill(password);
      await demo.page.getByLabel('New password again').fill(password);
      await press(demo.page, 'Change password');
    };
    await demo.page.goto(`${demo.server.issuer}/account`);
    await signIn(demo.page, person);
    await demo.page.getByText('Change your password').click();
    await change('not the password', changed);
    expect(await demo.page.getByRole('alert').innerText()).toBe('The current password is wrong.');
    // It is open still, and empty.
    expect(await demo.page.getByLabel('New password again').inputValue()).toBe('');
    await change(person.password, changed);
    expect(await demo.page.getByRole('status').innerText()).toContain('Your password is changed');
    await press(demo.page, 'Sign out');
    await signIn(demo.page, { ...person, password: changed });
    await demo.page.getByText('Change your password').click();
    await change(changed, person.password);
    await demo.page.getByRole('status').waitFor();
  });
});

async function notBuilt() {
  const page = pageNotBuilt('GraphiQL');
  return { status: page.status, headers: Object.fromEntries(page.headers), body: await page.text() };
}

/** Every second one has both schemes, at different widths. */
const LOOKS = [
  ['light', 1000, 'light'],
  ['phone', 360, 'light'],
  ['phone-dark', 360, 'dark'],
  ['dark', 1000, 'dark'],
] as const;

test('the pages fit the window and follow the system theme, and axe finds nothing', async () => {
  await demo.open();
  const look = async (what: string) => {
    for (const [name, width, colorScheme] of sampleAt(what, LOOKS, 2)) {
      await demo.page.setViewportSize({ width, height: 760 });
      await demo.page.emulateMedia({ colorScheme });
      await demo.shoot(`oauth-${what}-${name}`, { fullPage: true });
      expect([what, name, await axeFindings(demo.page)]).toEqual([what, name, []]);
    }
  };
  const { issuer, person } = demo.server;
  const checks = await begin();
  await look('sign-in');
  await signIn(demo.page, { ...person, password: 'not the password' });
  await demo.page.getByRole('alert').waitFor();
  await look('sign-in-wrong');
  await signIn(demo.page, person);
  await demo.page.getByRole('heading', { name: 'Mailpilot asks for access' }).waitFor();
  await look('consent');
  const [team = ''] = await teamNames();
  await tick(demo.page, team);
  await demo.page.getByLabel('Only the workspaces that I choose').locator('visible=true').check();
  await press(demo.page, 'Allow');
  await demo.page.getByRole('alert').waitFor();
  await look('consent-open');
  await demo.page.getByLabel('All workspaces').locator('visible=true').check();
  await press(demo.page, 'Allow');
  await platform.finish((await backAtPlatform()).href, checks);
  await begin('funnels:write');
  await look('consent-write');
  await demo.page.goto(`${issuer}/account`);
  await look('account');
  await demo.page.getByText('Change your password').click();
  await demo.page.getByLabel('Current password').fill('not the password');
  await demo.page.getByLabel('New password', { exact: true }).fill('another long password');
  await demo.page.getByLabel('New password again').fill('another long password');
  await press(demo.page, 'Change password');
  await demo.page.getByRole('alert').waitFor();
  await look('account-wrong');
  // As where there is no bundle: other tests make it meanwhile.
  await demo.page.route('**/graphql', async (route) => {
    const { status, headers, body } = await notBuilt();
    await route.fulfill({ status, headers, body });
  });
  for (const [what, path] of [
    ['home', '/'],
    ['graphiql-not-built', '/graphql'],
    ['expired', '/oauth/interaction/none'],
    ['unknown-client', '/oauth/authorize?client_id=unknown'],
    ['not-found', '/oauth/nothing'],
    ['not-a-page', '/oauth/token'],
  ] as const) {
    await demo.page.goto(issuer + path);
    await look(what);
  }
}, 120_000);

test('a person who must wait sees until when, and axe finds nothing on that page', async () => {
  await demo.open({ viewport: { width: 360, height: 760 } });
  await demo.page.goto(`${demo.server.issuer}/account`);
  for (let i = 0; i < 11; i++)
    await signIn(demo.page, { email: 'nobody@example.com', password: 'not the password' });
  expect(await demo.page.getByRole('alert').innerText()).toMatch(
    /Try again in about \d+ minutes, after .* UTC\.$/,
  );
  await demo.shoot('oauth-wait-phone', { fullPage: true });
  expect(await axeFindings(demo.page)).toEqual([]);
});
