// The first minutes with the explorer, in a real browser: what is loaded, keys and keyboard, what a refusal says, links.
import { beforeEach, describe, expect, test } from 'vitest';
import { examples } from '../../src/graphiql/app/examples.ts';
import { restoreDemo } from '../../src/store/demo/restore.ts';
import { provideDemoBrowser, windowsFor } from './chromium.ts';
import { startCountingProxy } from './counting-proxy.ts';
import {
  answerTo,
  chooseExample,
  enterKey,
  openDocs,
  openGraphiql,
  runQuery,
  waitForKeyStatus,
} from './explore.ts';
import { WIDGETS } from './graphiql-widgets.ts';

/** Some 76,000 of them are the schema, which grows with what is served. */
const FIRST_LOAD_BYTES = 1_030_000;

const demo = provideDemoBrowser();
beforeEach(() => demo.open());

const keyField = () => demo.page.getByLabel('API key', { exact: true });
const operations = () =>
  demo.record.requests.filter(({ url, method }) => url.endsWith('/graphql') && method === 'POST').length;
const press = (keys: string) => answerTo(demo.page, () => demo.page.keyboard.press(keys));
const editorText = async (selector: string) => {
  const text = await demo.page.locator(`${selector} .view-lines`).first().innerText();
  return text.replaceAll('\u00a0', ' ');
};

async function openWithKey(): Promise<void> {
  await openGraphiql(demo.page, demo.server.url);
  await enterKey(demo.page, demo.server.apiKey);
  await waitForKeyStatus(demo.page, 'Key accepted');
}

test('the first load is at most 1.03 MB over the wire; the rest loads when somebody uses an editor', async () => {
  const proxy = await startCountingProxy(new URL(demo.server.url));
  await openGraphiql(demo.page, `http://127.0.0.1:${proxy.port}`);
  // What comes last is there: the font of the icons, and the schema.
  const requested = () => demo.record.requests.map(({ url }) => url).join(' ');
  await expect.poll(requested, { timeout: 15_000 }).toMatch(/codicon-\S*\.ttf/);
  await expect.poll(requested, { timeout: 15_000 }).toContain('/schema.graphql');
  await demo.page.waitForLoadState('networkidle');
  expect(proxy.sent).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  expect(demo.page.workers()).toEqual([]);

  await demo.page.locator('.graphiql-query-editor .monaco-editor').click();
  await expect.poll(() => demo.page.workers().length).toBe(3);
  expect(demo.record.problems).toEqual([]);
  await demo.page.goto('about:blank');
  await proxy.close();
});

describe('Ctrl-Enter runs the query', () => {
  test('on a new page without focus, from the key field, and after choosing an example', async () => {
    await openGraphiql(demo.page, demo.server.url);
    expect(await press('Control+Enter')).toContain('UNAUTHENTICATED');
    await keyField().fill(demo.server.apiKey);
    expect(await press('Control+Enter')).toContain('"viewer"');
    expect(await press('Meta+Enter')).toContain('"viewer"');
    // After choosing an example, whose menu stays closed.
    await chooseExample(demo.page, 'Contacts, newest first');
    expect(await press('Control+Enter')).toContain('"emailAddress"');
    expect(await demo.page.getByRole('menu').count()).toBe(0);
  });

  test('in every editor, once', async () => {
    await openWithKey();
    for (const editor of [
      '.graphiql-query-editor',
      '[aria-label="Variables"]',
      '[aria-label="Headers"]',
      '.graphiql-response',
    ]) {
      if (editor.includes('Headers')) await demo.page.getByRole('button', { name: 'Headers' }).click();
      await demo.page.locator(`${editor} .monaco-editor:visible`).first().click();
      for (const keys of ['Control+Enter', 'Meta+Enter']) {
        const before = operations();
        expect(await press(keys), editor).toContain('"viewer"');
        await demo.page.waitForTimeout(200);
        expect(operations(), editor).toBe(before + 1);
      }
    }
    expect(await editorText('.graphiql-query-editor')).toContain('query Overview');
    expect(demo.record.problems).toEqual([]);
  });

  test('for the operation at the cursor, if there are several', async () => {
    await openWithKey();
    await demo.page.getByRole('button', { name: 'New tab' }).click();
    await demo.page.locator('.graphiql-query-editor .monaco-editor').click();
    await demo.page.keyboard.insertText('query One { viewer { __typename } }\nquery Two { __typename }');
    await demo.page.waitForTimeout(300);
    expect(await press('Control+Enter')).toContain('"Query"');
    await demo.page.keyboard.press('ArrowUp');
    expect(await press('Control+Enter')).toContain('"viewer"');
  });
});

test('a pasted key is cleaned of the text around it', async () => {
  const key = demo.server.apiKey;
  const pasted = {
    header: `Authorization: Bearer ${key}`,
    scheme: `bearer ${key}`,
    'curl line': `-H 'Authorization: Bearer ${key}'`,
    JSON: `"Authorization": "Bearer ${key}",`,
    'quotation marks': `\u201c${key}\u201d`,
    lines: `\r\n  ${key.slice(0, 10)}\n${key.slice(10)}\u200b\t`,
  };
  await openGraphiql(demo.page, demo.server.url);
  for (const [what, text] of Object.entries(pasted)) {
    await keyField().focus();
    await demo.page.keyboard.insertText(text);
    expect(await keyField().inputValue(), what).toBe(key);
    await waitForKeyStatus(demo.page, 'Key accepted');
    await keyField().fill('');
    await demo.page.locator('#api-key-status', { hasText: 'Key accepted' }).waitFor({ state: 'hidden' });
  }
});

describe('a refusal comes with help for this page', () => {
  test('without a key, and with one that the gateway does not accept', async () => {
    await openGraphiql(demo.page, demo.server.issuer);
    const without = (await runQuery(demo.page)).replaceAll(/\s+/g, ' ');
    for (const words of [
      '\u201cAPI key\u201d at the top',
      'Sign in',
      'Examples',
      'Ctrl-Enter',
      'UNAUTHENTICATED',
    ])
      expect(without).toContain(words);
    await enterKey(demo.page, 'fgw_wrong');
    expect(await runQuery(demo.page)).toContain('does not accept the key');
    await enterKey(demo.page, demo.server.apiKey);
    expect(await runQuery(demo.page)).not.toContain('"help"');
  });

  test('help does not mention "Sign in" if the page does not offer it', async () => {
    await demo.page.route('**/graphql', async (route) => {
      if (route.request().method() !== 'GET') return route.fallback();
      const response = await route.fetch();
      const body = (await response.text()).replace(/(name="issuer" content=")[^"]*/, '$1');
      return route.fulfill({ response, body });
    });
    await openGraphiql(demo.page, demo.server.url);
    expect(await demo.page.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    expect(await runQuery(demo.page)).not.toContain('Sign in');
  });

  test('the removal can be run again after the command in the answer', async () => {
    await openWithKey();
    const { title } = examples.at(-1) as (typeof examples)[number];
    await chooseExample(demo.page, title);
    expect(await editorText('.graphiql-query-editor')).toContain('npx funnel-gateway demo restore');
    for (const _ of ['once', 'again']) {
      expect(await runQuery(demo.page)).toContain('"removedConditionalSplitId"');
      expect(await runQuery(demo.page)).toContain('npx funnel-gateway demo restore');
      await restoreDemo(demo.server.app.store, new Date());
    }
  });
});

describe('a link', () => {
  const query =
    'query Two { __typename }\nquery Shared($n: Int) { viewer { kind } workspace(by: { subdomain: "acme" }) { contacts(first: $n) { totalCount } } }';
  const linkTo = (parameters: Record<string, string>) =>
    `${demo.server.url}/graphql?${new URLSearchParams(parameters)}`;

  test('opens its query with variables and the named operation, and runs nothing', async () => {
    await demo.page.goto(linkTo({ query, variables: '{"n":3}', operationName: 'Shared' }));
    await demo.page.locator('.graphiql-query-editor .view-line', { hasText: 'Shared' }).waitFor();
    expect(demo.page.url()).toBe(`${demo.server.url}/graphql`);
    expect(await editorText('[aria-label="Variables"]')).toContain('"n": 3');
    await demo.page.waitForLoadState('networkidle');
    const bodies = operations();
    expect(bodies).toBe(0);
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    expect(await press('Control+Enter')).toContain('"totalCount"');
    await demo.page.waitForTimeout(700);
    await demo.page.reload();
    await demo.page.locator('.graphiql-query-editor .view-line', { hasText: 'Shared' }).waitFor();
    expect(await press('Control+Enter')).toContain('"totalCount"');
    expect(await demo.page.getByRole('tab').count()).toBe(1);
    expect(demo.record.problems).toEqual([]);
  });

  test('opens in an additional tab, and only once', async () => {
    await openWithKey();
    await demo.page.waitForTimeout(700);
    for (const _ of ['once', 'again']) {
      await demo.page.goto(linkTo({ query: '{ __typename }' }));
      await demo.page.locator('.graphiql-query-editor .view-line', { hasText: '__typename' }).waitFor();
      await demo.page.waitForTimeout(700);
      expect(await demo.page.getByRole('tab').count()).toBe(2);
    }
  });

  test('that is shared contains query and variables, never a key or a header, and the page says so', async () => {
    await demo.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openWithKey();
    await demo.page.getByRole('button', { name: 'Headers' }).click();
    await demo.page.locator('[aria-label="Headers"] .monaco-editor:visible').click();
    await demo.page.keyboard.insertText('{ "x-secret": "of_my_own" }');
    await chooseExample(demo.page, 'Contacts, newest first');
    await demo.page.getByRole('button', { name: 'Share', exact: true }).click();
    await demo.page.getByText('Link copied').waitFor();
    await demo.shoot('graphiql-shared');
    const link = await demo.page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toMatch(new RegExp(`^${demo.server.url}/graphql\\?query=`));
    expect(link).not.toContain(demo.server.apiKey);
    expect(link).not.toMatch(/of_my_own|secret|Bearer/i);

    const elsewhere = await demo.openElsewhere();
    await elsewhere.goto(link);
    await elsewhere.locator('.graphiql-query-editor .view-line', { hasText: 'query' }).first().waitFor();
    await enterKey(elsewhere, demo.server.apiKey);
    await waitForKeyStatus(elsewhere, 'Key accepted');
    expect(await runQuery(elsewhere)).toContain('"emailAddress"');
    expect(demo.record.problems).toEqual([]);
  });

  test('is refused with a reason: empty query, key included, too long; without a clipboard it is in the address bar', async () => {
    await openGraphiql(demo.page, demo.server.url);
    const share = async (text: string, says: string) => {
      await demo.page.locator('.graphiql-query-editor .monaco-editor').click();
      await demo.page.keyboard.press('Control+A');
      await demo.page.keyboard.press('Delete');
      if (text !== '') await demo.page.keyboard.insertText(text);
      await demo.page.getByRole('button', { name: 'Share', exact: true }).click();
      await demo.page.getByText(says).waitFor();
    };
    await share('', 'There is no query to share');
    await share(`# ${demo.server.apiKey}\n{ __typename }`, 'Not copied');
    await share(`# ${'x'.repeat(8_000)}\n{ __typename }`, 'Too long for a link');
    expect(demo.page.url()).toBe(`${demo.server.url}/graphql`);
    await demo.page.evaluate<void>(
      'void (navigator.clipboard.writeText = () => Promise.reject(new Error()))',
    );
    await share('{ __typename }', 'from the address bar');
    expect(new URL(demo.page.url()).searchParams.get('query')).toBe('{ __typename }');
  });
});

test('the demo\u2019s signed-in link delivers the key once, and leaves nothing in the address', async () => {
  const address = `${demo.server.url}/graphql#demo=${demo.server.demoCode}`;
  const editor = demo.page.locator('.graphiql-query-editor .view-line').first();
  await demo.page.goto(address);
  await editor.waitFor();
  await waitForKeyStatus(demo.page, 'Key accepted');
  expect(demo.page.url()).toBe(`${demo.server.url}/graphql`);
  await demo.page.waitForLoadState('networkidle');
  expect(await press('Control+Enter')).toContain('"viewer"');
  await demo.page.reload();
  await editor.waitFor();
  await waitForKeyStatus(demo.page, 'Key accepted');
  const lasting = await demo.page.evaluate<string>('JSON.stringify(localStorage) + document.cookie');
  expect(lasting).not.toMatch(new RegExp(`${demo.server.apiKey}|${demo.server.demoCode}`));
  expect(demo.record.requests.filter(({ url }) => url.includes(demo.server.demoCode))).toEqual([]);
  expect(demo.record.problems).toEqual([]);

  const elsewhere = await demo.openElsewhere();
  await elsewhere.goto(address);
  await waitForKeyStatus(elsewhere, 'Link expired');
  expect(await elsewhere.getByLabel('API key', { exact: true }).inputValue()).toBe('');
});

test.each(windowsFor('the first minutes'))('axe finds nothing: %s', async (name, size) => {
  await demo.page.setViewportSize(size);
  const examine = (state: string) => demo.examine(`axe-${state}-${name}`, WIDGETS);
  await openGraphiql(demo.page, demo.server.issuer);
  await examine('start');
  await runQuery(demo.page);
  await examine('without-key');
  await enterKey(demo.page, 'fgw_wrong');
  await waitForKeyStatus(demo.page, 'Key not accepted');
  await examine('refused');
  await enterKey(demo.page, demo.server.apiKey);
  await waitForKeyStatus(demo.page, 'Key accepted');
  await demo.page.getByRole('button', { name: 'Share', exact: true }).click();
  await demo.page.locator('.share-status:not(:empty)').waitFor();
  await examine('shared');
  await demo.page.getByRole('button', { name: 'Help' }).click();
  await examine('help');
  await demo.page.keyboard.press('Escape');
  await demo.page.getByRole('button', { name: 'Examples' }).click();
  await examine('examples');
  await demo.page.getByRole('menuitem', { name: 'Contacts, newest first' }).click();
  await runQuery(demo.page);
  await openDocs(demo.page);
  await examine('docs');
});
