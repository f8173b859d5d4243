// The explorer in a real browser. Screenshots go to the folder of chromium.ts.
import { beforeEach, describe, expect, test } from 'vitest';
import { examples } from '../../src/graphiql/app/examples.ts';
import { type Activity, provideDemoBrowser, schemesFor, windowsFor } from './chromium.ts';
import {
  chooseExample,
  enterKey,
  exploreAsUser,
  openDocs,
  openGraphiql,
  runQuery,
  waitForKeyStatus,
} from './explore.ts';

const demo = provideDemoBrowser();
beforeEach(() => demo.open());

const apiRequests = () =>
  demo.record.requests.filter(({ url, method }) => url.endsWith('/graphql') && method === 'POST');

const bearerOf = ({ headers: { authorization } }: Activity['requests'][number]) => authorization;

describe('the explorer', { timeout: 60_000 }, () => {
  test('a complete visit requests nothing from another origin and violates no policy', {
    timeout: 240_000,
  }, async () => {
    await exploreAsUser(demo.page, demo.server.url, demo.server.apiKey);
    await chooseExample(demo.page, 'Contacts, newest first');
    expect(await runQuery(demo.page)).toContain('"emailAddress"');
    await demo.page.getByRole('button', { name: /^Prettify query/ }).click();
    await demo.page.getByRole('button', { name: 'Show History' }).click();
    await demo.page.getByRole('button', { name: 'Open settings dialog' }).click();
    await demo.page.getByRole('dialog').waitFor();
    await demo.page.keyboard.press('Escape');
    await demo.page.getByRole('button', { name: 'Help' }).click();
    await demo.page.getByRole('heading', { name: 'REST' }).waitFor();
    await demo.page.keyboard.press('Escape');
    const opened = demo.context.waitForEvent('page');
    await demo.page.getByRole('link', { name: 'REST /api/v2' }).click();
    const rest = await opened;
    await rest.getByRole('button', { name: 'Funnels and pages' }).waitFor({ timeout: 120_000 });
    await rest.close();

    // The workers come when somebody works in an editor.
    await demo.page.locator('.graphiql-query-editor .monaco-editor').click();
    const workers = () => demo.page.workers().map((worker) => new URL(worker.url()).pathname);
    await expect.poll(workers).toContainEqual(expect.stringMatching(/^\/graphiql\/assets\/graphql\.worker-/));
    await expect.poll(workers).toContainEqual(expect.stringMatching(/^\/graphiql\/assets\/json\.worker-/));
    expect(demo.record.requests.filter(({ url }) => new URL(url).origin !== demo.server.url)).toEqual([]);
    expect(demo.record.problems).toEqual([]);
  });

  test('the editors complete and check against the schema, in workers of this origin', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await demo.page.getByRole('button', { name: 'New tab' }).click();
    await demo.page.locator('.graphiql-query-editor .monaco-editor').click();
    await demo.page.keyboard.type('{ vie');
    await demo.page.keyboard.press('Control+Space');
    await demo.page.locator('.suggest-widget.visible', { hasText: 'viewer' }).waitFor();
    await demo.page.keyboard.press('Escape');
    await demo.page.keyboard.type('wless }');
    await demo.page.locator('.graphiql-query-editor .squiggly-error').first().waitFor();
    expect(demo.record.problems).toEqual([]);
  });

  test('the docs open without a key and with an invalid one', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await enterKey(demo.page, 'fgw_wrong');
    await waitForKeyStatus(demo.page, 'Key not accepted');
    await demo.page.reload();
    await openDocs(demo.page);
    expect(demo.record.problems).toEqual([]);
  });

  test('each query sends the key as a bearer token, unless it has its own header; the schema’s request never does', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    await runQuery(demo.page);
    const sent = apiRequests().map(bearerOf);
    const [schema, ...again] = demo.record.requests.filter(({ url }) => url.endsWith('/schema.graphql'));
    expect([schema && bearerOf(schema), again]).toEqual([undefined, []]);
    expect(sent.at(-1)).toBe(`Bearer ${demo.server.apiKey}`);

    // An Authorization header of the headers editor wins, and is not stored.
    await demo.page.getByRole('button', { name: 'Headers' }).click();
    await demo.page.locator('[aria-label="Headers"] .monaco-editor:visible').click();
    await demo.page.keyboard.insertText('{ "authorization": "Bearer of_my_own" }');
    await demo.page.waitForTimeout(700);
    expect(await runQuery(demo.page)).toContain('UNAUTHENTICATED');
    expect(apiRequests().map(bearerOf).at(-1)).toBe('Bearer of_my_own');
    await waitForKeyStatus(demo.page, 'Key accepted');
    await demo.page.waitForTimeout(700);
    expect(await demo.page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain('of_my_own');
  });

  test('the key stays in the tab: it survives a reload and is in no permanent storage', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await enterKey(demo.page, ` ${demo.server.apiKey} `);
    await waitForKeyStatus(demo.page, 'Key accepted');
    await runQuery(demo.page);
    await demo.page.waitForTimeout(700);
    await demo.page.reload();
    await waitForKeyStatus(demo.page, 'Key accepted');
    expect(demo.page.url()).toBe(`${demo.server.url}/graphql`);
    const kept = await demo.page.evaluate<string>('JSON.stringify(localStorage) + document.cookie');
    expect(kept).toContain('tabState');
    expect(kept).not.toContain(demo.server.apiKey);
    const other = await demo.context.newPage();
    await openGraphiql(other, demo.server.url);
    expect(await other.getByLabel('API key', { exact: true }).inputValue()).toBe('');
  });

  test('a reload restores the tab with its variables', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    await demo.page.reload();
    expect(await runQuery(demo.page)).not.toContain('"errors"');
    await chooseExample(demo.page, 'Contacts, newest first');
    await runQuery(demo.page);
    await demo.page.waitForTimeout(700);
    await demo.page.reload();
    const answer = await runQuery(demo.page);
    expect(answer).toContain('"emailAddress"');
    expect(answer).not.toContain('"errors"');
    expect(await demo.page.getByRole('tab').count()).toBe(2);
  });

  test('the key is hidden until the person shows it, and a key that no header can carry is refused without a request', async () => {
    await openGraphiql(demo.page, demo.server.url);
    const key = demo.page.getByLabel('API key', { exact: true });
    expect(await key.getAttribute('type')).toBe('password');
    await demo.page.getByRole('button', { name: 'Show the API key' }).click();
    expect(await key.getAttribute('type')).toBe('text');
    const before = apiRequests().length;
    await enterKey(demo.page, 'fgw_schlüssel…');
    await waitForKeyStatus(demo.page, 'Key not accepted');
    expect(apiRequests().length).toBe(before);
    expect(demo.record.problems).toEqual([]);
  });

  test('every example shows data and opens once, and the menu works with the keyboard', {
    timeout: 180_000,
  }, async () => {
    await openGraphiql(demo.page, demo.server.url);
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    for (const { title } of examples) {
      await chooseExample(demo.page, title);
      const answer = await runQuery(demo.page);
      expect(answer, title).toContain('"data"');
      expect(answer, title).not.toContain('"errors"');
    }
    for (const { title } of examples) await chooseExample(demo.page, title);
    expect(await demo.page.getByRole('tab').count()).toBe(examples.length);
    await demo.page.getByRole('button', { name: 'Examples' }).focus();
    await demo.page.keyboard.press('Enter');
    await demo.page.keyboard.press('ArrowDown');
    await demo.page.keyboard.press('Enter');
    await demo.page.getByRole('menu').waitFor({ state: 'detached' });
    expect(demo.record.problems).toEqual([]);
  });

  test.each(windowsFor('a visit'))('fits its window and follows the system: %s', async (name, size) => {
    await demo.page.setViewportSize(size);
    const shoot = async (state: string) => {
      for (const colorScheme of schemesFor(`${name}-${state}`)) {
        await demo.page.emulateMedia({ colorScheme });
        await demo.shoot(`${name}-${state}-${colorScheme}`);
      }
    };
    await openGraphiql(demo.page, demo.server.url);
    await shoot('start');
    await enterKey(demo.page, 'fgw_wrong');
    await waitForKeyStatus(demo.page, 'Key not accepted');
    await runQuery(demo.page);
    // The pane draws its lines one after the other, and only those in sight.
    const answer = demo.page.locator('.graphiql-response .view-lines');
    await answer.getByText('The gateway does not accept').first().waitFor();
    await answer.getByText('API key invalid.').first().waitFor();
    await shoot('refused');
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    await chooseExample(demo.page, 'Contacts, newest first');
    await runQuery(demo.page);
    await shoot('answer');
    await openDocs(demo.page);
    await shoot('docs');
    await demo.page.getByRole('button', { name: 'Help' }).click();
    await shoot('help');
    await demo.page.keyboard.press('Escape');
    await demo.page.getByRole('button', { name: 'Open short keys dialog' }).click();
    await demo.page.getByRole('dialog').waitFor();
    await shoot('keys');
    await demo.page.keyboard.press('Escape');
    await demo.page.getByRole('button', { name: 'Examples' }).click();
    await shoot('examples');
    await demo.page.getByRole('menuitem', { name: 'Funnels and their steps' }).click();
    expect(await runQuery(demo.page)).toContain('"funnels"');
    expect(demo.record.problems).toEqual([]);
  });
});
