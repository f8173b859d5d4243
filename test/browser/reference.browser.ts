// The REST reference in a real browser: found by search, tried with a key or a sign-in, and from this machine alone.
import { beforeEach, expect, test } from 'vitest';
import { prismaOf } from '../support/prisma.ts';
import { axeFindings } from './axe.ts';
import { provideDemoBrowser } from './chromium.ts';
import { press, signIn, tick } from './person.ts';

let team: string;
const demo = provideDemoBrowser(async ({ app }) => {
  team = (await prismaOf(app.store).team.findFirstOrThrow({ orderBy: { id: 'asc' } })).name;
});
beforeEach(() => demo.open());

const status = (text: string) => demo.page.locator('#top-bar output', { hasText: text });
const elsewhere = () =>
  demo.record.requests.filter(
    ({ url }) => !url.startsWith(demo.server.issuer) && !url.startsWith(demo.server.url),
  );

async function openReference(fragment = ''): Promise<void> {
  await demo.page.goto(`${demo.server.issuer}/api/v2${fragment}`, { waitUntil: 'commit' });
  await demo.page.getByRole('heading', { name: 'Funnel Gateway REST API' }).waitFor({ timeout: 120_000 });
}

/** Finds an operation by search, by keyboard alone, and opens its form. */
async function tryOut(words: string, operation: RegExp): Promise<void> {
  await demo.page.keyboard.press('Control+k');
  await demo.page.keyboard.type(words);
  await demo.page.getByRole('option', { name: operation }).first().waitFor();
  await demo.page.keyboard.press('ArrowDown');
  await demo.page.keyboard.press('Enter');
  await demo.page
    .getByRole('button', { name: /^Test Request/ })
    .first()
    .click();
}

test('the request that refunds part of an order is found by keyboard, with a key in the bar', async () => {
  await openReference();
  await demo.page.getByLabel('API key', { exact: true }).fill(demo.server.apiKey);
  await status('Key accepted').waitFor();
  await tryOut('refund', /refund/);
  await demo.shoot('reference-refund');
  expect(elsewhere()).toEqual([]);
  expect(demo.record.problems).toEqual([]);
});

test('signing in ends at the reference, and requests use the token', async () => {
  await openReference();
  await demo.page.getByRole('button', { name: 'Sign in' }).click();
  await demo.page.getByRole('heading', { name: 'Sign in to Funnel Gateway' }).waitFor();
  await signIn(demo.page, demo.server.person);
  await demo.page.getByRole('heading', { name: 'GraphiQL asks for access' }).waitFor();
  await tick(demo.page, team);
  await press(demo.page, 'Allow');
  await status('Signed in').waitFor();
  expect(demo.page.url()).toMatch(/\/api\/v2(#.*)?$/);
  expect(elsewhere()).toEqual([]);
  expect(demo.record.problems).toEqual([]);
});

test.each([
  ['light', 1280, 800, 'light'],
  ['dark', 1280, 800, 'dark'],
  ['phone', 390, 844, 'light'],
  ['phone-dark', 390, 844, 'dark'],
] as const)('fits its window, and axe finds nothing: %s', async (name, width, height, colorScheme) => {
  await demo.page.setViewportSize({ width, height });
  await demo.page.emulateMedia({ colorScheme });
  await openReference();
  await demo.shoot(`reference-${name}`);
  expect(await axeFindings(demo.page)).toEqual([]);
  expect(elsewhere()).toEqual([]);
  expect(demo.record.problems).toEqual([]);
});
