// What the explorer says to somebody who does not know what to do next, and that nothing it says lies over anything else.
import { beforeEach, describe, expect, test } from 'vitest';
import { examples } from '../../src/graphiql/app/examples.ts';
import { sampleAt } from '../support/nightly.ts';
import { prismaOf } from '../support/prisma.ts';
import { provideDemoBrowser } from './chromium.ts';
import { chooseExample, enterKey, openDocs, openGraphiql, runQuery, waitForKeyStatus } from './explore.ts';
import { press, signIn, tick } from './person.ts';

const changes = examples.filter(({ isChange }) => isChange);

let team: string;
const demo = provideDemoBrowser(async ({ app }) => {
  team = (await prismaOf(app.store).team.findFirstOrThrow({ orderBy: { id: 'asc' } })).name;
});
beforeEach(() => demo.open());

const session = () => demo.page.getByRole('group', { name: 'Sign-in' });
const steps = () => demo.page.getByRole('region', { name: 'First steps' });
const words = (text: string) => text.replaceAll(/\s+/g, ' ');
const CHANGES_CONTACTS = 'Change contacts, their tags and appointments, and saved filters';

describe('a scope that is missing', () => {
  const consent = () => demo.page.getByRole('heading', { name: 'GraphiQL asks for access' });
  const createContact = async () => {
    await chooseExample(demo.page, 'Create a contact');
    return words(await runQuery(demo.page));
  };

  test('is requested first when the person signs in again', async () => {
    // From another name of the service; the second time from its own.
    await openGraphiql(demo.page, demo.server.url);
    await session().getByRole('button', { name: 'Sign in' }).click();
    await signIn(demo.page, demo.server.person);
    await consent().waitFor();
    await tick(demo.page, team);
    await press(demo.page, 'Allow');
    await session().getByText('Signed in').waitFor();
    const refused = await createContact();
    for (const said of ['"help"', 'contacts:write', 'Sign in again', 'first line', 'INSUFFICIENT_SCOPE'])
      expect(refused).toContain(said);
    await demo.shoot('graphiql-lacking-scope');

    // Whoever changes their mind has what they had.
    await session().getByRole('button', { name: 'Sign in again' }).click();
    await consent().waitFor();
    await press(demo.page, 'Deny');
    await session().getByText('Access was denied').waitFor();
    expect(await createContact()).toContain('INSUFFICIENT_SCOPE');

    await session().getByRole('button', { name: 'Sign in again' }).click();
    await consent().waitFor();
    const first = demo.page.getByRole('checkbox').first();
    expect(await demo.page.locator('.choice').first().innerText()).toContain(CHANGES_CONTACTS);
    expect(await first.isChecked()).toBe(false);
    await first.check();
    await tick(demo.page, team);
    await press(demo.page, 'Allow');
    await session().getByText('Signed in').waitFor();
    expect(await session().getByRole('button', { name: 'Sign in again' }).count()).toBe(0);
    // What was in the editors is there again, and done.
    expect(words(await runQuery(demo.page))).toContain('"robin@example.com"');

    // The first grant went with the first tokens.
    const account = await demo.context.newPage();
    await account.goto(`${demo.server.issuer}/account`);
    const grants = account.getByRole('button', { name: /^Withdraw access of GraphiQL/ });
    await grants.first().waitFor();
    expect(await grants.count()).toBe(1);
    await grants.click();
    await account.getByRole('heading', { name: /^Withdraw access of .*\?$/ }).waitFor();
    await grants.click();
    await account.getByRole('status').waitFor();
    expect(demo.record.problems).toEqual([]);
  });

  test('of a key leads to the hint to use another key or to sign in', async () => {
    await demo.page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('CreateContact')) return route.fallback();
      const extensions = { code: 'INSUFFICIENT_SCOPE', requestId: 'x', scope: 'contacts:write' };
      const errors = [{ message: 'This needs the scope contacts:write.', extensions }];
      return route.fulfill({ json: { data: { createContact: null }, errors } });
    });
    await openGraphiql(demo.page, demo.server.issuer);
    await enterKey(demo.page, demo.server.apiKey);
    await waitForKeyStatus(demo.page, 'Key accepted');
    const refused = await createContact();
    for (const said of ['contacts:write', 'funnel-gateway token create', 'Sign in', 'first line'])
      expect(refused).toContain(said);
    await session().getByRole('button', { name: 'Sign in' }).click();
    await signIn(demo.page, demo.server.person);
    await consent().waitFor();
    expect(await demo.page.locator('.choice').first().innerText()).toContain(CHANGES_CONTACTS);
  });
});

test('examples that change data are in a separate group with its own title', async () => {
  await openGraphiql(demo.page, demo.server.url);
  await demo.page.getByRole('button', { name: 'Examples' }).click();
  const group = demo.page.getByRole('group', { name: 'These change the demo’s data' });
  await group.waitFor();
  expect(await group.getByRole('menuitem').allInnerTexts()).toEqual(changes.map(({ title }) => title));
  expect(await demo.page.getByRole('separator').count()).toBe(1);
  await demo.page.keyboard.press('End');
  await demo.page.keyboard.press('Enter');
  await demo.page.getByRole('tab', { name: 'RemoveSplit' }).waitFor();
});

test('the empty answer pane shows three steps, which disappear with the first answer', async () => {
  await openGraphiql(demo.page, demo.server.issuer);
  expect(await steps().getByRole('listitem').count()).toBe(3);
  const text = words(await steps().innerText());
  for (const said of ['API key', 'sign in', 'Examples', 'Ctrl Enter']) expect(text).toContain(said);
  await enterKey(demo.page, demo.server.apiKey);
  await waitForKeyStatus(demo.page, 'Key accepted');
  await runQuery(demo.page);
  await steps().waitFor({ state: 'hidden' });
  await demo.page.getByRole('button', { name: 'New tab' }).click();
  await steps().waitFor();
});

test('Help names the command that makes keys, and the examples that change the demo', async () => {
  await openGraphiql(demo.page, demo.server.url);
  await demo.page.getByRole('button', { name: 'Help' }).click();
  const text = words(await demo.page.getByRole('region', { name: 'Help', exact: true }).innerText());
  expect(text).toContain('funnel-gateway token create');
  expect(changes).toHaveLength(2);
  expect(text).toContain('The last two examples change the demo');
});

test('on a phone the variables are folded, and every hint says to tap', async () => {
  await demo.page.setViewportSize({ width: 390, height: 844 });
  await openGraphiql(demo.page, demo.server.url);
  const fold = (name: string) => demo.page.getByRole('button', { name: `${name} editor tools` });
  await fold('Show').waitFor();
  const text = words(await steps().innerText());
  expect(text).toMatch(/\bTap\b/);
  expect(text).not.toContain('Ctrl');
  const refused = words(await runQuery(demo.page));
  expect(refused).toContain('tap');
  expect(refused).not.toContain('Ctrl');
  const editor = await demo.page.locator('.graphiql-query-editor .view-lines').first().innerText();
  expect(editor.replaceAll('\u00a0', ' ')).toMatch(/^# tap /m);
  await demo.page.getByRole('button', { name: 'Variables', exact: true }).click();
  await fold('Hide').waitFor();
});

/** Whether two elements that are shown lie on one another. */
const overlap = (one: string, other: string) =>
  demo.page.evaluate<boolean>(`(() => {
    const [a, b] = ${JSON.stringify([one, other])}.map((each) => document.querySelector(each).getBoundingClientRect());
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  })()`);

async function examineWhatIsSaidOfSharing(width: number): Promise<void> {
  const said = demo.page.locator('.share-status:not(:empty)');
  await demo.page.getByRole('button', { name: 'Share', exact: true }).click();
  await said.waitFor();
  await demo.shoot(`graphiql-said-${width}`);
  for (const other of ['.top-bar', '.graphiql-sidebar', '.graphiql-main', '.graphiql-tabs'])
    expect(await overlap('.share-status', other), other).toBe(false);
  await demo.page.clock.runFor(10_000);
  await said.waitFor({ state: 'detached' });
}

async function examineMenuOfExamples(): Promise<void> {
  // Somebody has been in the editor: its scrollbars are shown.
  await demo.page.locator('.graphiql-query-editor').hover();
  await demo.page.getByRole('button', { name: 'Examples' }).click();
  await demo.page.locator('.examples-menu').waitFor();
  const covering = await demo.page.evaluate<string[]>(`(() => {
    const menu = document.querySelector('.examples-menu');
    const { left, right, top, bottom } = menu.getBoundingClientRect();
    const above = new Set(right > innerWidth - 4 ? ['the edge of the window'] : []);
    for (let x = left + 4; x < right - 4; x += 4)
      for (let y = top + 4; y < bottom - 4; y += 4)
        if (!menu.contains(document.elementFromPoint(x, y))) above.add(document.elementFromPoint(x, y)?.className);
    return [...above];
  })()`);
  expect(covering).toEqual([]);
  await demo.page.keyboard.press('Escape');
  await demo.page.locator('.examples-menu').waitFor({ state: 'detached' });
}

async function examineSearchBoxOfDocs(width: number): Promise<void> {
  const box = '.graphiql-doc-explorer-search';
  await demo.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await demo.page.locator('.graphiql-doc-explorer-title').waitFor();
  expect(await overlap(box, '.graphiql-doc-explorer-title')).toBe(false);
  await demo.page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
  await openDocs(demo.page);
  for (const other of ['.graphiql-doc-explorer-back', '.graphiql-doc-explorer-title'])
    expect(await overlap(box, other), other).toBe(false);
  await demo.shoot(`graphiql-docs-${width}`);
  // Where somebody searches it may lie over the title, never over the way back out of it.
  await demo.page.keyboard.press('Control+Alt+K');
  await demo.shoot(`graphiql-docs-search-${width}`);
}

test.each(sampleAt('what is said', [1280, 1024, 768, 390], 2))(
  'nothing covers the examples menu or the docs, and the sharing message covers nothing and disappears: %i px',
  async (width) => {
    // A clock is its context's.
    await demo.open({ viewport: { width, height: 900 } });
    await demo.page.clock.install();
    await openGraphiql(demo.page, demo.server.issuer);
    await examineWhatIsSaidOfSharing(width);
    await examineMenuOfExamples();
    await examineSearchBoxOfDocs(width);
  },
);
