// The REST reference in a real browser: found by search, tried with a key or a sign-in, and from this machine alone.
import { beforeEach, describe, expect, test } from 'vitest';
import { sampleAt } from '../support/nightly.ts';
import { prismaOf } from '../support/prisma.ts';
import { type AxeException, axeFindings } from './axe.ts';
import { provideDemoBrowser, WINDOWS } from './chromium.ts';
import { press, signIn, tick } from './person.ts';

/** What axe finds in Scalar's search and in its form, which take no markup of ours. */
const WIDGETS: readonly AxeException[] = [
  { rule: 'aria-required-attr', within: '[role="search"]', reason: 'the search field has no aria-expanded' },
  { rule: 'aria-required-attr', within: '.code-input-lite', reason: 'fields of the form are comboboxes' },
  { rule: 'aria-input-field-name', within: '.cm-editor', reason: 'CodeMirror has no name for the body' },
  ...['aria-allowed-role', 'aria-prohibited-attr', 'presentation-role-conflict'].map((rule) => ({
    rule,
    within: '[id^="headlessui-popover-button"]',
    reason: 'Headless UI makes each hint of the form a button without a role',
  })),
  ...['landmark-no-duplicate-main', 'landmark-unique'].map((rule) => ({
    rule,
    within: 'body',
    reason: 'the form lies over the page and has landmarks of its own',
  })),
];

/** Each is loaded: to change the scheme of a page of this size takes longer. */
const LOOKS = WINDOWS.flatMap(([name, size]) =>
  (['light', 'dark'] as const).map((scheme) => [`${name}-${scheme}`, size, scheme] as const),
);

/** Scalar takes seconds of a processor to show the document, and shares it with the other tests. */
const SHOWN = { timeout: 120_000 };

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
const hit = (name: RegExp) => demo.page.getByRole('option', { name }).first();
const testButton = (path: string) =>
  demo.page.locator('button.show-api-client-button').and(demo.page.getByRole('button', { name: path }));

async function openReference(): Promise<void> {
  await demo.page.goto(`${demo.server.issuer}/api/v2`, { waitUntil: 'commit' });
  await demo.page.getByRole('heading', { name: 'Funnel Gateway REST API' }).waitFor(SHOWN);
}

async function search(words: string, expected: RegExp): Promise<void> {
  await demo.page.keyboard.press('Control+k');
  await demo.page.keyboard.type(words);
  await hit(expected).waitFor(SHOWN);
}

describe('the reference', { timeout: 600_000 }, () => {
  test('leads a newcomer to the refund of part of an order, by keyboard, and does it', async () => {
    await openReference();
    await demo.page.getByLabel('API key', { exact: true }).fill(demo.server.apiKey);
    await status('Key accepted').waitFor(SHOWN);
    await search('refund order', /Refund part or all of a payment of an order/);
    // Requests stand before events with the same words.
    expect(await demo.page.getByRole('option').first().innerText()).toContain('Refund part or all');
    await demo.page.keyboard.press('Enter');
    await demo.page.getByRole('heading', { name: 'Refund part or all of a payment' }).waitFor(SHOWN);
    await demo.page.getByRole('link', { name: 'Mutation.refundOrderTransaction' }).waitFor();
    await testButton('/api/v2/orders/transactions/{id}/refund').press('Enter', SHOWN);
    const send = demo.page.getByRole('button', { name: /^Send/ }).first();
    await send.waitFor(SHOWN);
    await demo.shoot('reference-refund');
    const answered = demo.page.waitForResponse('**/refund', SHOWN);
    await send.press('Enter', SHOWN);
    const answer = await answered;
    const sent = answer.request().postDataJSON() as { orders_transaction: { amount: string } };
    expect(sent.orders_transaction).toEqual({ partial: true, amount: '20.00' });
    expect(answer.status(), await answer.text()).toBe(200);
    await demo.page.getByText('200 OK').first().waitFor(SHOWN);
    await demo.shoot('reference-refunded');
    expect(elsewhere()).toEqual([]);
    expect(demo.record.problems).toEqual([]);
  });

  test('uses the token of whoever signs in, and signing in ends at the reference', async () => {
    await openReference();
    await demo.page.getByRole('button', { name: 'Sign in' }).click(SHOWN);
    await demo.page.getByRole('heading', { name: 'Sign in to Funnel Gateway' }).waitFor(SHOWN);
    await signIn(demo.page, demo.server.person);
    await demo.page.getByRole('heading', { name: 'GraphiQL asks for access' }).waitFor();
    await tick(demo.page, team);
    await press(demo.page, 'Allow');
    await status('Signed in').waitFor(SHOWN);
    expect(demo.page.url()).toMatch(/\/api\/v2(#.*)?$/);
    expect(elsewhere()).toEqual([]);
    expect(demo.record.problems).toEqual([]);
  });

  // A load takes ten seconds of a processor: by day in one look, and in another one in the tests above.
  test.each(sampleAt('reference window', LOOKS, 4))(
    'fits its window, and axe finds nothing: %s',
    async (name, size, colorScheme) => {
      await demo.page.setViewportSize(size);
      await demo.page.emulateMedia({ colorScheme });
      const examine = async (state: string) => {
        await demo.shoot(`reference-${state}-${name}`);
        expect(await axeFindings(demo.page, WIDGETS), state).toEqual([]);
        expect(demo.record.problems, state).toEqual([]);
      };
      await openReference();
      await examine('start');
      await search('refund', /Refund part or all/);
      await examine('search');
      await demo.page.keyboard.press('Enter');
      await demo.page.getByRole('heading', { name: 'Refund part or all of a payment' }).waitFor(SHOWN);
      await examine('operation');
      await testButton('/api/v2/orders/transactions/{id}/refund').click(SHOWN);
      await demo.page.getByRole('button', { name: /^Send/ }).first().waitFor(SHOWN);
      await examine('form');
      expect(elsewhere()).toEqual([]);
    },
  );
});
