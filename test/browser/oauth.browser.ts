// A person signs in, grants, denies and withdraws in a real browser, with JavaScript and without. Screenshots go to the
// folder below; look at them after a change of the pages.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Activity, openBrowser, openContext } from './chromium.ts';
import { type DemoGateway, startDemoGateway } from './demo-gateway.ts';
import { press, signIn, tick } from './person.ts';
import { type Platform, startPlatform } from './platform.ts';

const screenshots = join(tmpdir(), 'funnel-gateway-screenshots');
const SCOPES = 'account:read contacts:read contacts:write';
let server: DemoGateway;
let platform: Platform;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let record: Activity;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  server = await startDemoGateway();
  platform = await startPlatform(server, 'Mailpilot');
  browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await platform?.close();
  await server?.close();
});

async function open(options: Parameters<typeof openContext>[1] = {}): Promise<void> {
  ({ context, record } = await openContext(browser, options));
  page = await context.newPage();
}

afterEach(() => context?.close());

/** Sends the person from the platform to the gateway. */
async function begin(scope = SCOPES) {
  const { url, checks } = await platform.begin(scope);
  await page.goto(url);
  return checks;
}

const backAtPlatform = async (): Promise<URL> => {
  await page.getByRole('heading', { name: 'Back at the platform' }).waitFor();
  return new URL(page.url());
};

const teamNames = async (): Promise<string[]> =>
  (await server.app.store.prisma.team.findMany({ orderBy: { id: 'asc' } })).map(({ name }) => name);

const callRest = (path: string, accessToken: string) =>
  fetch(new URL(path, server.issuer), { headers: { authorization: `Bearer ${accessToken}` } });

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a person in a browser %s', (_, javaScriptEnabled) => {
  test('signs in, grants a part, and the platform can do just that', async () => {
    await open({ javaScriptEnabled });
    const checks = await begin();
    await page.getByText('Mailpilot').waitFor();
    await signIn(page, server.person);

    await page.getByRole('heading', { name: 'Mailpilot asks for access' }).waitFor();
    const [team = ''] = await teamNames();
    await page.getByLabel('Change contacts and saved filters').uncheck();
    await tick(page, team);
    await page.getByLabel('Only the workspaces that I choose').locator('visible=true').check();
    const workspaces = page
      .getByRole('group', { name: `Chosen workspaces of ${team}` })
      .getByRole('checkbox');
    await workspaces.first().check();
    await press(page, 'Allow');

    const tokens = await platform.finish((await backAtPlatform()).href, checks);
    expect(tokens.scope?.split(' ').sort()).toEqual(['account:read', 'contacts:read']);
    const teams = (await (await callRest('/api/v2/teams', tokens.access_token)).json()) as { name: string }[];
    expect(teams.map(({ name }) => name)).toEqual([team]);
    const list = await callRest(`/api/v2/teams/1/workspaces`, tokens.access_token);
    expect(await list.json()).toHaveLength(1);
    expect(record.problems).toEqual([]);
    const foreign = record.requests.filter(
      ({ url }) => ![server.issuer, platform.origin].includes(new URL(url).origin),
    );
    expect(foreign).toEqual([]);
  });

  test('is told of a mistake, and keeps the address that was typed', async () => {
    await open({ javaScriptEnabled });
    await begin();
    await signIn(page, { email: server.person.email, password: 'not the password' });
    const alert = page.getByRole('alert');
    expect(await alert.innerText()).toBe('E-mail address or password is wrong.');
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(server.person.email);
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await signIn(page, server.person);
    await page.getByRole('heading', { name: 'Mailpilot asks for access' }).waitFor();
  });

  test('denies on the first page, or on the second, and the platform learns no more than that', async () => {
    await open({ javaScriptEnabled });
    const checks = await begin();
    await press(page, 'Cancel');
    const first = await backAtPlatform();
    expect(first.searchParams.get('error')).toBe('access_denied');
    await expect(platform.finish(first.href, checks)).rejects.toThrow();

    await begin();
    await signIn(page, server.person);
    await press(page, 'Deny');
    const second = await backAtPlatform();
    expect(second.searchParams.get('error')).toBe('access_denied');
    expect(second.searchParams.get('iss')).toBe(server.issuer);
    expect(second.searchParams.has('code')).toBe(false);
  });

  test('cannot allow nothing: the page says what is missing', async () => {
    await open({ javaScriptEnabled });
    await begin('contacts:read');
    await signIn(page, server.person);
    const [team = ''] = await teamNames();
    await tick(page, team);
    await page.getByLabel('Read contacts and saved filters').uncheck();
    await press(page, 'Allow');
    expect(await page.getByRole('alert').innerText()).toContain('at least one thing');
    expect(await page.getByLabel(team, { exact: true }).isChecked()).toBe(true);
  });

  test('withdraws what was granted on the account page, and the token is dead', async () => {
    await open({ javaScriptEnabled });
    const checks = await begin('account:read');
    await signIn(page, server.person);
    const [team = ''] = await teamNames();
    await tick(page, team);
    await press(page, 'Allow');
    const tokens = await platform.finish((await backAtPlatform()).href, checks);
    expect((await callRest('/api/v2/teams', tokens.access_token)).status).toBe(200);

    // The session of the authorization page is the account page's too.
    await page.goto(`${server.issuer}/account`);
    await page.getByRole('heading', { name: 'Applications with access' }).waitFor();
    const withdraw = page.getByRole('button', { name: /^Withdraw the access of Mailpilot/ });
    for (let left = await withdraw.count(); left > 0; left -= 1) {
      await withdraw.first().click();
      await page.getByRole('status').waitFor();
    }
    await page.getByText('No application has access in your name.').waitFor();
    await expect.poll(async () => (await callRest('/api/v2/teams', tokens.access_token)).status).toBe(401);

    await press(page, 'Sign out');
    await page.getByLabel('Password').waitFor();
    await page.reload();
    await page.getByLabel('Password').waitFor();
    expect(record.problems).toEqual([]);
  });
});

test('someone signs in on the account page alone', async () => {
  await open();
  await page.goto(`${server.issuer}/account`);
  await signIn(page, server.person);
  await page.getByRole('heading', { name: 'Applications with access' }).waitFor();
  expect(record.problems).toEqual([]);
});

test('the keyboard alone is enough, and pressing Enter by mistake grants nothing', async () => {
  await open();
  await begin('contacts:read');
  await page.keyboard.type(server.person.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(server.person.password);
  await page.keyboard.press('Enter');
  const first = page.getByRole('checkbox').first();
  await first.focus();
  await page.keyboard.press('Enter');
  expect((await backAtPlatform()).searchParams.get('error')).toBe('access_denied');
});

test('a page that was left open is of no use in another browser', async () => {
  await open();
  await begin();
  const address = page.url();
  const other = await openContext(browser);
  const elsewhere = await other.context.newPage();
  await elsewhere.goto(address);
  await elsewhere.getByRole('heading', { name: 'This page has expired' }).waitFor();
  await other.context.close();
});

test.each([
  ['light', 1000, 'light'],
  ['dark', 1000, 'dark'],
  ['phone', 360, 'light'],
  ['phone-dark', 360, 'dark'],
] as const)('the pages fit their window and follow the system: %s', async (name, width, colorScheme) => {
  await open({ viewport: { width, height: 760 }, colorScheme });
  const shoot = async (what: string) => {
    await page.screenshot({ path: join(screenshots, `oauth-${what}-${name}.png`), fullPage: true });
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0);
  };
  const checks = await begin();
  await shoot('sign-in');
  await signIn(page, { ...server.person, password: 'not the password' });
  await page.getByRole('alert').waitFor();
  await shoot('sign-in-wrong');
  await signIn(page, server.person);
  await page.getByRole('heading', { name: 'Mailpilot asks for access' }).waitFor();
  await shoot('consent');
  const [team = ''] = await teamNames();
  await tick(page, team);
  await page.getByLabel('Only the workspaces that I choose').locator('visible=true').check();
  await press(page, 'Allow');
  await page.getByRole('alert').waitFor();
  await shoot('consent-open');
  await page.getByLabel('All workspaces').locator('visible=true').check();
  await press(page, 'Allow');
  await platform.finish((await backAtPlatform()).href, checks);
  await page.goto(`${server.issuer}/account`);
  await shoot('account');
  await page.goto(`${server.issuer}/oauth/interaction/none`);
  await shoot('expired');
});
