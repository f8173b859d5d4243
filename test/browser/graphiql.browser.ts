// The explorer in a real browser. Screenshots go to the folder below; look at them after a change of the page.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { examples } from '../../src/graphiql/app/examples.ts';
import { buildGraphiql } from '../../src/graphiql/build.ts';
import { type Activity, openBrowser, openContext } from './chromium.ts';
import { type DemoGateway, startDemoGateway } from './demo-gateway.ts';
import {
  chooseExample,
  enterKey,
  exploreAsUser,
  openDocs,
  openGraphiql,
  runQuery,
  waitForKeyStatus,
} from './explore.ts';

const screenshots = join(tmpdir(), 'funnel-gateway-screenshots');
let server: DemoGateway;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let record: Activity;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  await buildGraphiql();
  server = await startDemoGateway();
  browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

beforeEach(async () => {
  ({ context, record } = await openContext(browser));
  page = await context.newPage();
});

afterEach(() => context.close());

const apiRequests = () =>
  record.requests.filter(({ url, method }) => url.endsWith('/graphql') && method === 'POST');

const bearerOf = ({ headers: { authorization } }: Activity['requests'][number]) => authorization;

describe('the explorer', { timeout: 60_000 }, () => {
  test('a whole visit asks nothing of any other origin and breaks no policy', async () => {
    await exploreAsUser(page, server.url, server.apiKey);
    await chooseExample(page, 'Contacts, newest first');
    expect(await runQuery(page)).toContain('"emailAddress"');
    await page.getByRole('button', { name: /^Prettify query/ }).click();
    await page.getByRole('button', { name: 'Show History' }).click();
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Help' }).click();
    await page.getByRole('heading', { name: 'REST' }).waitFor();
    await page.keyboard.press('Escape');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'REST /api/v2' }).click();
    const rest = await opened;
    await rest.getByText('/api/v2/workspaces/{workspace_id}/contacts').first().waitFor();
    await rest.close();

    expect(record.requests.filter(({ url }) => new URL(url).origin !== server.url)).toEqual([]);
    expect(record.problems).toEqual([]);
    const workers = page.workers().map((worker) => new URL(worker.url()).pathname);
    expect(workers).toContainEqual(expect.stringMatching(/^\/graphiql\/assets\/graphql\.worker-/));
    expect(workers).toContainEqual(expect.stringMatching(/^\/graphiql\/assets\/json\.worker-/));
  });

  test('the editors complete and check against the schema, in workers of this origin', async () => {
    await openGraphiql(page, server.url);
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.type('{ vie');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget.visible', { hasText: 'viewer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type('wless }');
    await page.locator('.graphiql-query-editor .squiggly-error').first().waitFor();
    expect(record.problems).toEqual([]);
  });

  test('the docs open without a key, and with a wrong one', async () => {
    await openGraphiql(page, server.url);
    await enterKey(page, 'fgw_wrong');
    await waitForKeyStatus(page, 'Key not accepted');
    await page.reload();
    await openDocs(page);
    expect(record.problems).toEqual([]);
  });

  test('the key goes with each query as a bearer token, and never with the introspection', async () => {
    await openGraphiql(page, server.url);
    await enterKey(page, server.apiKey);
    await waitForKeyStatus(page, 'Key accepted');
    await runQuery(page);
    const sent = apiRequests().map(bearerOf);
    expect(sent[0]).toBeUndefined();
    expect(sent.at(-1)).toBe(`Bearer ${server.apiKey}`);
  });

  test('an Authorization header of the headers editor wins, and is not stored', async () => {
    await openGraphiql(page, server.url);
    await enterKey(page, server.apiKey);
    await waitForKeyStatus(page, 'Key accepted');
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('[aria-label="Headers"] .monaco-editor:visible').click();
    await page.keyboard.insertText('{ "authorization": "Bearer of_my_own" }');
    await page.waitForTimeout(700);
    expect(await runQuery(page)).toContain('UNAUTHENTICATED');
    expect(apiRequests().map(bearerOf).at(-1)).toBe('Bearer of_my_own');
    await waitForKeyStatus(page, 'Key accepted');
    await page.waitForTimeout(700);
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain('of_my_own');
  });

  test('the key stays in the tab: it outlives a reload and is found in no lasting place', async () => {
    await openGraphiql(page, server.url);
    await enterKey(page, ` ${server.apiKey} `);
    await waitForKeyStatus(page, 'Key accepted');
    await runQuery(page);
    await page.waitForTimeout(700);
    await page.reload();
    await waitForKeyStatus(page, 'Key accepted');
    expect(page.url()).toBe(`${server.url}/graphql`);
    const kept = await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie');
    expect(kept).toContain('tabState');
    expect(kept).not.toContain(server.apiKey);
    const other = await context.newPage();
    await openGraphiql(other, server.url);
    expect(await other.getByLabel('API key', { exact: true }).inputValue()).toBe('');
  });

  test('a reload finds the tab as it was, its variables too', async () => {
    await openGraphiql(page, server.url);
    await enterKey(page, server.apiKey);
    await waitForKeyStatus(page, 'Key accepted');
    await page.reload();
    expect(await runQuery(page)).not.toContain('"errors"');
    await chooseExample(page, 'Contacts, newest first');
    await runQuery(page);
    await page.waitForTimeout(700);
    await page.reload();
    const answer = await runQuery(page);
    expect(answer).toContain('"emailAddress"');
    expect(answer).not.toContain('"errors"');
    expect(await page.getByRole('tab').count()).toBe(2);
  });

  test('a key that no header can carry is refused without being sent', async () => {
    await openGraphiql(page, server.url);
    const before = apiRequests().length;
    await enterKey(page, 'fgw_schlüssel…');
    await waitForKeyStatus(page, 'Key not accepted');
    expect(apiRequests().length).toBe(before);
    expect(record.problems).toEqual([]);
  });

  test('the key is hidden until it is asked for', async () => {
    await openGraphiql(page, server.url);
    const key = page.getByLabel('API key', { exact: true });
    expect(await key.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show the API key' }).click();
    expect(await key.getAttribute('type')).toBe('text');
  });

  test('the examples menu works by keyboard, and opens each example once', async () => {
    await openGraphiql(page, server.url);
    for (const { title } of [...examples, ...examples]) await chooseExample(page, title);
    expect(await page.getByRole('tab').count()).toBe(examples.length);
    await page.getByRole('button', { name: 'Examples' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(record.problems).toEqual([]);
  });

  test('every example shows data', async () => {
    await openGraphiql(page, server.url);
    await enterKey(page, server.apiKey);
    await waitForKeyStatus(page, 'Key accepted');
    for (const { title } of examples) {
      await chooseExample(page, title);
      const answer = await runQuery(page);
      expect(answer, title).toContain('"data"');
      expect(answer, title).not.toContain('"errors"');
    }
    expect(record.problems).toEqual([]);
  });

  test.each([
    ['light', 1280, 800, 'light'],
    ['dark', 1280, 800, 'dark'],
    ['phone', 390, 844, 'light'],
    ['phone-dark', 390, 844, 'dark'],
  ] as const)('fits its window and follows the system: %s', async (name, width, height, colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await openGraphiql(page, server.url);
    await page.screenshot({ path: join(screenshots, `${name}-start.png`) });
    await enterKey(page, 'fgw_wrong');
    await waitForKeyStatus(page, 'Key not accepted');
    expect(await runQuery(page)).toContain('UNAUTHENTICATED');
    await page.screenshot({ path: join(screenshots, `${name}-refused.png`) });
    await enterKey(page, server.apiKey);
    await waitForKeyStatus(page, 'Key accepted');
    await chooseExample(page, 'Contacts, newest first');
    await runQuery(page);
    await page.screenshot({ path: join(screenshots, `${name}.png`) });
    await openDocs(page);
    await page.screenshot({ path: join(screenshots, `${name}-docs.png`) });
    await page.getByRole('button', { name: 'Help' }).click();
    await page.screenshot({ path: join(screenshots, `${name}-help.png`) });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Examples' }).click();
    await page.screenshot({ path: join(screenshots, `${name}-examples.png`) });
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.getByRole('menuitem', { name: 'Funnels and their steps' }).click();
    expect(await runQuery(page)).toContain('"funnels"');
    expect(record.problems).toEqual([]);
  });
});
