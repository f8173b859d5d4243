// The app that docs/browser-app.md prints, on an origin of its own, in a real browser against the gateway.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prismaOf } from '../support/prisma.ts';
import { startApp } from './browser-app.ts';
import { provideDemoBrowser } from './chromium.ts';
import { press, signIn, tick } from './person.ts';

let app: Awaited<ReturnType<typeof startApp>>;
let team: string;
const demo = provideDemoBrowser(async ({ app: { store } }) => {
  team = (await prismaOf(store).team.findFirstOrThrow({ orderBy: { id: 'asc' } })).name;
});
beforeAll(async () => {
  app = await startApp(demo.server);
}, 120_000);
beforeEach(() => demo.open());
afterAll(() => app?.close());

const items = () => demo.page.getByRole('listitem').count();
const waitForStatus = (text: string) => demo.page.getByRole('status').filter({ hasText: text }).waitFor();
const tokens = () =>
  demo.page.evaluate<{ access: string; refresh: string } | null>(
    `JSON.parse(sessionStorage.getItem('tokens'))`,
  );

async function goToConsent(): Promise<void> {
  await demo.page.goto(app.origin);
  await press(demo.page, 'Sign in');
  await signIn(demo.page, demo.server.person);
  await demo.page.getByRole('heading', { name: 'Contact list asks for access' }).waitFor();
}

async function signInToApp(): Promise<void> {
  await goToConsent();
  await tick(demo.page, team);
  await press(demo.page, 'Allow');
  await waitForStatus('20 of 224 contacts of');
}

describe('the app of the guide', { timeout: 60_000 }, () => {
  test('shows a page of contacts after sign-in and consent, the next page, and the first again after a reload', async () => {
    await signInToApp();
    expect(demo.page.url()).toBe(`${app.origin}/`);
    await demo.shoot('browser-app');
    await press(demo.page, 'Load more');
    await waitForStatus('40 of 224');
    expect(await items()).toBe(40);
    await demo.page.reload();
    await waitForStatus('20 of 224');
    expect(await items()).toBe(20);
    expect(demo.record.problems).toEqual([]);
    const origins = new Set(demo.record.requests.map(({ url }) => new URL(url).origin));
    expect([...origins].sort()).toEqual([app.origin, demo.server.issuer].sort());
  });

  test('renews its token, and signing out ends the grant at the gateway', async () => {
    await signInToApp();
    const first = await tokens();
    await demo.page.evaluate<void>(
      `sessionStorage.setItem('tokens', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('tokens')), expiresAt: 0 }))`,
    );
    await press(demo.page, 'Load more');
    await waitForStatus('40 of 224');
    const second = await tokens();
    expect(second?.access).not.toBe(first?.access);
    await press(demo.page, 'Sign out');
    await demo.page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await items()).toBe(0);
    expect(await tokens()).toBeNull();
    const { status } = await fetch(`${demo.server.url}/api/v2/teams`, {
      headers: { authorization: `Bearer ${second?.access}` },
    });
    expect(status).toBe(401);
    expect(demo.record.problems).toEqual([]);
  });

  test('reports that the person refused, and offers to sign in again', async () => {
    await goToConsent();
    await press(demo.page, 'Deny');
    await waitForStatus('The person refused.');
    await demo.page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(demo.page.url()).toBe(`${app.origin}/`);
  });
});
