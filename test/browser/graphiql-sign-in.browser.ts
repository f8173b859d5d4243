// Signing in to the explorer, in a real browser, against the gateway itself.
import { beforeEach, describe, expect, test } from 'vitest';
import { sampleAt } from '../support/nightly.ts';
import { prismaOf } from '../support/prisma.ts';
import { provideDemoBrowser } from './chromium.ts';
import { chooseExample, enterKey, openGraphiql, runQuery, waitForKeyStatus } from './explore.ts';
import { press, signIn, tick } from './person.ts';

let team: string;
const demo = provideDemoBrowser(async ({ app }) => {
  team = (await prismaOf(app.store).team.findFirstOrThrow({ orderBy: { id: 'asc' } })).name;
});
beforeEach(() => demo.open());

const session = () => demo.page.getByRole('group', { name: 'Sign-in' });
const waitForSignedIn = () => session().getByText('Signed in').waitFor();
const sentTo = (path: string) => demo.record.requests.filter(({ url }) => new URL(url).pathname === path);
const bearers = () =>
  sentTo('/graphql')
    .filter(({ method }) => method === 'POST')
    .map(({ headers: { authorization } }) => authorization);

/** From the explorer through sign-in and consent, back to the explorer. */
async function signInToGraphiql(): Promise<void> {
  await openGraphiql(demo.page, demo.server.issuer);
  await session().getByRole('button', { name: 'Sign in' }).click();
  await demo.page.getByRole('heading', { name: 'Sign in to Funnel Gateway' }).waitFor();
  await signIn(demo.page, demo.server.person);
  await allow();
}

async function allow(): Promise<void> {
  await demo.page.getByRole('heading', { name: 'GraphiQL asks for access' }).waitFor();
  await tick(demo.page, team);
  await press(demo.page, 'Allow');
  await waitForSignedIn();
}

/** Makes the access token that the tab holds look as if it ended by now. */
const expireToken = () =>
  demo.page.evaluate<void>(`(() => {
    const key = 'funnel-gateway:session';
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), expiresAt: 0 }));
  })()`);

/** Controls of the top bar that are cut off, or lie on one another, or are too small to use. */
const CROWDED = `(() => {
  const all = [...document.querySelectorAll('.top-bar :is(button, a, input, output, label)')]
    .filter((element) => element.offsetParent !== null)
    .map((element) => ({ name: element.textContent || element.id, box: element.getBoundingClientRect() }));
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return all.filter(({ name, box }, i) => box.left < 0 || box.right > innerWidth || (name === 'api-key' && box.width < 100)
    || all.some((other, j) => j > i && overlap(box, other.box))).map(({ name }) => name);
})()`;

describe('signing in to the explorer', { timeout: 60_000 }, () => {
  test('authorization code with PKCE; queries use the token, which stays in the tab', async () => {
    await signInToGraphiql();
    expect(demo.page.url()).toBe(`${demo.server.issuer}/graphql`);
    const [authorize] = sentTo('/oauth/authorize');
    const asked = new URL(authorize?.url ?? '').searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: 'graphiql',
      code_challenge_method: 'S256',
      redirect_uri: `${demo.server.issuer}/graphql`,
      resource: demo.server.issuer,
    });
    expect(await runQuery(demo.page)).toContain('"viewer"');
    expect(bearers().at(-1)).toMatch(/^Bearer ey[\w-]+\.[\w-]+\.[\w-]+$/);

    // The tokens stay in the tab, outlive a reload, and are found in no lasting place or address.
    await demo.page.reload();
    await waitForSignedIn();
    await chooseExample(demo.page, 'Contacts, newest first');
    expect(await runQuery(demo.page)).toContain('"emailAddress"');
    const kept = await demo.page.evaluate<string>(
      'JSON.stringify(localStorage) + document.cookie + location.href',
    );
    expect(kept).not.toMatch(/ey[\w-]{20,}|refresh|code=/);
    const other = await demo.context.newPage();
    await openGraphiql(other, demo.server.issuer);
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(demo.record.requests.filter(({ url }) => new URL(url).origin !== demo.server.issuer)).toEqual([]);
    expect(demo.record.problems).toEqual([]);
  });

  test('an expired token is renewed once for any number of queries, and signing out ends the grant', async () => {
    await signInToGraphiql();
    await expireToken();
    await demo.page.reload();
    await waitForSignedIn();
    const before = sentTo('/oauth/token').length;
    await Promise.all([runQuery(demo.page), demo.page.keyboard.press('Control+Enter')]);
    expect(await runQuery(demo.page)).not.toContain('"errors"');
    expect(sentTo('/oauth/token').length).toBe(before + 1);
    await waitForSignedIn();

    // Signing out ends it, and a key is asked for again.
    const bearer = bearers().at(-1) ?? '';
    const told = demo.page.waitForResponse((response) => response.url().endsWith('/oauth/revoke'));
    await session().getByRole('button', { name: 'Sign out' }).click();
    expect((await told).status()).toBe(200);
    await demo.page.getByLabel('API key', { exact: true }).waitFor();
    expect(await demo.page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toMatch(/ey[\w-]{20,}/);
    const call = () => fetch(`${demo.server.issuer}/api/v2/teams`, { headers: { authorization: bearer } });
    await expect.poll(async () => (await call()).status).toBe(401);
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    expect(await runQuery(demo.page)).toContain('"viewer"');
    expect(bearers().at(-1)).toBe(`Bearer ${demo.server.apiKey}`);
    expect(demo.record.problems).toEqual([]);
  });

  test('a duplicated tab is signed out and does not end the session of the first one; revoking the grant does', async () => {
    await signInToGraphiql();
    await expireToken();
    const [copy] = await Promise.all([
      demo.context.waitForEvent('page'),
      demo.page.evaluate<void>(`void open('/graphql', '_blank')`),
    ]);
    await copy.getByRole('button', { name: 'Sign in', exact: true }).and(copy.locator(':enabled')).waitFor();
    await demo.page.reload();
    await waitForSignedIn();
    expect(await runQuery(demo.page)).not.toContain('"errors"');

    // A grant that is withdrawn elsewhere ends the session at the next query.
    const account = await demo.context.newPage();
    await account.goto(`${demo.server.issuer}/account`);
    const withdraw = account.getByRole('button', { name: /^Withdraw access of GraphiQL/ });
    for (let left = await withdraw.count(); left > 0; left -= 1) {
      await withdraw.first().click();
      await account.getByRole('heading', { name: /^Withdraw access of .*\?$/ }).waitFor();
      await withdraw.click();
      await account.getByRole('status').waitFor();
    }
    await expect.poll(() => withdraw.count()).toBe(0);
    await demo.page.getByRole('button', { name: /^Execute query/ }).click();
    await session().getByText('Your sign-in has ended').waitFor();
  });

  test('an answer to another tab’s request is refused', async () => {
    await demo.page.goto(
      `${demo.server.issuer}/graphql?code=stolen&state=made-up&iss=${encodeURIComponent(demo.server.issuer)}`,
    );
    await session().getByText('Sign-in failed: try again').waitFor();
    expect(demo.page.url()).toBe(`${demo.server.issuer}/graphql`);
    expect(sentTo('/oauth/token')).toEqual([]);
  });

  test.each([
    ['under another name of the service', () => demo.server.url],
    ['under its own', () => demo.server.issuer],
  ])(
    'signing in ends under its own name, where what was edited is there again: begun %s',
    async (_, address) => {
      await openGraphiql(demo.page, address());
      await demo.page.getByRole('button', { name: 'New tab' }).click();
      await demo.page.locator('.graphiql-query-editor .monaco-editor').click();
      await demo.page.keyboard.insertText('query Edited { viewer { kind } } # \u00e4 & = # %');
      await demo.page.getByRole('button', { name: 'Headers' }).click();
      await demo.page.locator('[aria-label="Headers"] .monaco-editor:visible').click();
      await demo.page.keyboard.insertText('{ "x-secret": "of_my_own" }');
      // At once: before anything was stored.
      await session().getByRole('button', { name: 'Sign in' }).click();
      await signIn(demo.page, demo.server.person);
      await allow();
      expect(demo.page.url()).toBe(`${demo.server.issuer}/graphql`);
      const editor = demo.page.locator('.graphiql-query-editor .view-lines');
      await editor.getByText('Edited').first().waitFor();
      expect((await editor.innerText()).replaceAll('\u00a0', ' ')).toContain('# \u00e4 & = # %');
      expect(bearers().filter((bearer) => bearer !== undefined)).toEqual([]);
      expect(await runQuery(demo.page)).toContain('"kind"');
      const urls = demo.record.requests.map(({ url }) => url).join(' ');
      expect(urls).not.toMatch(/of_my_own|Edited/);
      expect(demo.record.problems).toEqual([]);
    },
  );

  test('a page that links here can neither run a query nor break anything', async () => {
    for (const tab of ['%', encodeURIComponent('["a"]'), encodeURIComponent('{"query":"x"}'), 'null', '']) {
      await demo.page.goto('about:blank');
      await demo.page.goto(`${demo.server.issuer}/graphql#tab=${tab}`);
      await demo.page.locator('.graphiql-query-editor .view-line').first().waitFor();
      expect(demo.page.url()).toBe(`${demo.server.issuer}/graphql`);
    }
    await demo.page.goto('about:blank');
    const mutation = ['mutation M { __typename }', '', ''];
    const fragment = encodeURIComponent(JSON.stringify(mutation));
    await demo.page.goto(`${demo.server.issuer}/graphql#sign-in&tab=${fragment}`);
    await signIn(demo.page, demo.server.person);
    await allow();
    await demo.page.locator('.graphiql-query-editor .view-line', { hasText: 'mutation M' }).waitFor();
    await demo.page.waitForLoadState('networkidle');
    expect(bearers().filter((bearer) => bearer !== undefined)).toEqual([]);
    expect(demo.record.problems).toEqual([]);
  });

  const LOOKS = [
    ['light', 1280, 800, 'light'],
    ['middle', 900, 800, 'light'],
    ['phone-dark', 390, 844, 'dark'],
  ] as const;

  test.each(sampleAt('sign-in denied', LOOKS, 3))(
    'who denies is back in the explorer and may try again, and all of it fits the window: %s',
    async (name, width, height, colorScheme) => {
      await demo.page.emulateMedia({ colorScheme });
      await demo.page.setViewportSize({ width, height });
      const shoot = async (what: string) => {
        await demo.shoot(`graphiql-${what}-${name}`);
        expect(await demo.page.evaluate<unknown>(CROWDED)).toEqual([]);
      };
      await openGraphiql(demo.page, demo.server.issuer);
      await shoot('signed-out');
      await session().getByRole('button', { name: 'Sign in' }).click();
      await signIn(demo.page, demo.server.person);
      await press(demo.page, 'Deny');
      await session().getByText('Access was denied').waitFor();
      expect(demo.page.url()).toBe(`${demo.server.issuer}/graphql`);
      await shoot('denied');
      await session().getByRole('button', { name: 'Sign in' }).click();
      await allow();
      await shoot('signed-in');
    },
  );
});
