// Where the explorer draws: the map of the schema, and answers as tables and pictures.
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { provideDemoBrowser, windowsFor } from './chromium.ts';
import { chooseExample, enterKey, openGraphiql, runQuery, waitForKeyStatus } from './explore.ts';
import { WIDGETS } from './graphiql-widgets.ts';

const demo = provideDemoBrowser();
beforeEach(() => demo.open());

const box = (name: string) => demo.page.locator('.drawing').getByRole('button', { name, exact: true });
const notes = () => demo.page.getByRole('region', { name: /^About / });

async function openSchema(): Promise<void> {
  await openGraphiql(demo.page, demo.server.url);
  await demo.page.getByRole('button', { name: 'Show Schema' }).click();
  await box('Workspace').waitFor();
}

/** Whether all of a type's box is in the place of the drawing. */
async function isInSight(name: string): Promise<boolean> {
  const [inner, outer] = await Promise.all([
    box(name).boundingBox(),
    demo.page.locator('.drawing').boundingBox(),
  ]);
  if (inner === null || outer === null) return false;
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** The labels of arrows that lie on another label or on a box. */
const overlappingLabels = () =>
  demo.page.evaluate<string[]>(`(() => {
    const boxOf = (element) => element.getBoundingClientRect();
    const labels = [...document.querySelectorAll('.react-flow__edge-text')];
    const all = [...labels, ...document.querySelectorAll('.type-box')];
    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return labels
      .filter((label) => all.some((other) => other !== label && overlap(boxOf(label), boxOf(other))))
      .map(({ textContent }) => textContent);
  })()`);

async function searchTypes(from: string, to: string): Promise<void> {
  await demo.page.getByLabel('Type', { exact: true }).fill(from);
  await demo.page.getByLabel('leads to').fill(to);
  await demo.page.keyboard.press('Enter');
}

async function answerOf(example: string): Promise<void> {
  await openGraphiql(demo.page, demo.server.url);
  await enterKey(demo.page, demo.server.apiKey);
  await waitForKeyStatus(demo.page, 'Key accepted');
  await chooseExample(demo.page, example);
  await runQuery(demo.page);
}

const showAs = (view: string) => demo.page.getByRole('radio', { name: view, exact: true }).check();

const examine = (state: string) => demo.examine(state, WIDGETS);

describe('the map of the schema', () => {
  test('shows a type with its neighbours, and its documentation beside it', async () => {
    await openSchema();
    for (const name of ['Workspace', 'Contact', 'Funnel', 'Product', 'Store', 'WebhookEndpoint'])
      expect(await isInSight(name), name).toBe(true);
    await box('Contact').click();
    await notes().getByRole('heading', { name: 'Contact Contacts' }).waitFor();
    await expect.poll(() => box('Order').count()).toBe(1);
    expect(await box('WebhookEndpoint').count()).toBe(0);
    await notes().getByText('contacts:read').waitFor();
    await demo.page.getByRole('button', { name: 'Open the documentation' }).click();
    await demo.page.locator('.graphiql-doc-explorer-title', { hasText: 'Contact' }).waitFor();
    expect(demo.record.problems).toEqual([]);
  });

  test('finds which types lead from a contact to the images of its products, with the keyboard alone', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await demo.page.getByRole('button', { name: 'Show Schema' }).focus();
    await demo.page.keyboard.press('Enter');
    await box('Workspace').waitFor();
    await searchTypes('contact', 'image');
    await demo.page.getByRole('region', { name: 'The ways from Contact to Image' }).waitFor();
    for (const name of ['Contact', 'Order', 'OrderLineItem', 'Product', 'Image']) await box(name).waitFor();
    // A workspace has all images, which says nothing of the contact's.
    expect(await box('Workspace').count()).toBe(0);
    expect(await overlappingLabels()).toEqual([]);
    await box('OrderLineItem').focus();
    await demo.page.keyboard.press('Enter');
    await notes().getByRole('heading', { name: 'OrderLineItem' }).waitFor();
    await searchTypes('contact', 'no such thing');
    await demo.page.getByText('No type or field is called “no such thing”.').waitFor();
    expect(demo.record.problems).toEqual([]);
  });

  test.each(windowsFor('the map of the schema'))('axe finds nothing: %s', async (name, size) => {
    await demo.page.setViewportSize(size);
    await openSchema();
    await demo.page.waitForTimeout(400);
    await examine(`map-start-${name}`);
    await searchTypes('Contact', '');
    await box('Order').waitFor();
    await demo.page.waitForTimeout(400);
    await examine(`map-contact-${name}`);
    await searchTypes('Contact', 'Image');
    await box('OrderLineItem').waitFor();
    await demo.page.waitForTimeout(400);
    await examine(`map-path-${name}`);
  });
});

describe('an answer', () => {
  test('is a table that sorts, and is downloaded as CSV', async () => {
    await answerOf('Orders, newest first');
    await showAs('Table');
    const table = demo.page.getByRole('table');
    await table.waitFor();
    const columnOf = (index: number) => table.locator(`tbody td:nth-child(${index})`).allInnerTexts();
    await table.getByRole('button', { name: 'orderNumber' }).click();
    await table
      .getByRole('columnheader', { name: 'orderNumber' })
      .and(demo.page.locator('[aria-sort="ascending"]'))
      .waitFor();
    const numbers = (await columnOf(1)).map(Number);
    expect(numbers.length).toBeGreaterThan(2);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const downloading = demo.page.waitForEvent('download');
    await demo.page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('orders.csv');
    const [head, first] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(head).toMatch(/^\ufefforderNumber,createdAt,contact\.emailAddress,/);
    expect(first?.split(',')[0]).toBe(String(numbers[0]));
    await demo.page.getByLabel('List').selectOption({ index: 1 });
    await table.getByRole('columnheader', { name: 'originalProductName' }).waitFor();
    expect(demo.record.problems).toEqual([]);
  });

  test('of thousands of rows shows those in sight', async () => {
    const nodes = Array.from({ length: 5_000 }, (_, index) => ({
      databaseId: String(index),
      name: `Row ${index}`,
    }));
    await openGraphiql(demo.page, demo.server.url);
    await demo.page.route('**/graphql', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ json: { data: { rows: { nodes } } } })
        : route.fallback(),
    );
    await runQuery(demo.page);
    await showAs('Table');
    const table = demo.page.getByRole('table');
    await table.getByText('Row 0', { exact: true }).waitFor();
    expect(await table.getByRole('row').count()).toBeLessThan(80);
    const sort = table.getByRole('button', { name: 'databaseId' });
    await sort.click();
    const milliseconds = await demo.page.evaluate<number>(`new Promise((resolve) => {
      const start = performance.now();
      document.querySelector('.answer-view th button').click();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
    })`);
    await table.getByText('Row 4999', { exact: true }).waitFor();
    expect(milliseconds).toBeLessThan(1_000);
    await demo.page.getByRole('region', { name: 'Rows of rows' }).focus();
    await demo.page.keyboard.press('End');
    await table.getByText('Row 0', { exact: true }).waitFor();
    expect(demo.record.problems).toEqual([]);
  });

  test('shows where the visitors of a funnel drop out, on its workflow', async () => {
    await answerOf('Where visitors of a funnel drop out');
    await showAs('Picture');
    await demo.page.getByText(/Most visitors drop out between “.+” and “.+”: [\d,]+, or \d+%/).waitFor();
    const workflow = demo.page.getByRole('region', { name: /^The workflow of / });
    await workflow
      .getByText(/\d views/)
      .first()
      .waitFor();
    expect(await workflow.locator('.marked').getByText(/−\d+%/).count()).toBe(1);
    expect(demo.record.problems).toEqual([]);
  });

  test('shows a series as a chart, which the arrow keys read', async () => {
    await answerOf('Visits and sales by day');
    await showAs('Picture');
    const chart = demo.page.getByRole('application');
    await chart.locator('canvas').waitFor();
    await demo.page.getByRole('checkbox', { name: /^views/ }).uncheck();
    await chart.focus();
    await demo.page.keyboard.press('ArrowRight');
    await demo.page.getByText(/: \d.* unique views/).waitFor({ state: 'attached' });
    expect(demo.record.problems).toEqual([]);
  });

  test('says what it cost and how long it took, and says what cannot be shown', async () => {
    await answerOf('Teams and workspaces');
    await demo.page.getByText(/^[\d.]+ ms · [\d.]+ k?B · \d+ points? · \d+ rows? at most$/).waitFor();
    await showAs('Picture');
    await demo.page.getByText('This answer has nothing to draw').waitFor();
    await showAs('JSON');
    expect(await demo.page.locator('.graphiql-response .view-lines').innerText()).not.toContain('"cost"');
  });

  test.each(windowsFor('an answer'))('axe finds nothing: %s', async (name, size) => {
    await demo.page.setViewportSize(size);
    await answerOf('Where visitors of a funnel drop out');
    await examine(`answer-json-${name}`);
    await showAs('Picture');
    await demo.page.locator('.step-box').first().waitFor();
    await demo.page.waitForTimeout(400);
    await examine(`answer-workflow-${name}`);
    await chooseExample(demo.page, 'Visits and sales by day');
    await demo.page.getByRole('button', { name: /^Execute query/ }).click();
    await demo.page.locator('.chart canvas').waitFor();
    await examine(`answer-chart-${name}`);
    await chooseExample(demo.page, 'Contacts, newest first');
    await demo.page.getByRole('button', { name: /^Execute query/ }).click();
    await showAs('Table');
    await demo.page.getByRole('table').waitFor();
    // A wide table scrolls in its place, and leaves the editors theirs.
    const places = await Promise.all(
      ['.graphiql-editors', '.table-scroll'].map((part) => demo.page.locator(part).boundingBox()),
    );
    for (const place of places) expect(place?.width).toBeGreaterThan(size.width * 0.4);
    expect((places[1]?.x ?? 0) + (places[1]?.width ?? 0)).toBeLessThanOrEqual(size.width);
    await examine(`answer-table-${name}`);
  });
});

describe('a query', () => {
  test('is built by ticking, with the keyboard alone', async () => {
    await openGraphiql(demo.page, demo.server.url);
    await demo.page.getByRole('button', { name: 'New tab' }).click();
    await demo.page.getByRole('button', { name: 'Show Build a query' }).click();
    const field = (name: string) =>
      demo.page.getByRole('region', { name: 'Build a query' }).getByRole('checkbox', { name, exact: true });
    for (const name of ['viewer', 'kind']) {
      await field(name).first().focus();
      await demo.page.keyboard.press('Space');
    }
    await expect
      .poll(async () =>
        (await demo.page.locator('.graphiql-query-editor .view-lines').first().innerText()).replaceAll(
          /\s+/g,
          ' ',
        ),
      )
      .toMatch(/viewer \{ kind \}/);
    await expect.poll(() => field('kind').first().getAttribute('aria-checked')).toBe('true');
    expect(demo.record.problems).toEqual([]);
  });

  test.each(windowsFor('a query'))(
    'axe finds nothing in the builder and the start of the documentation: %s',
    async (name, size) => {
      await demo.page.setViewportSize(size);
      await openGraphiql(demo.page, demo.server.url);
      await demo.page.getByRole('button', { name: 'Show Build a query' }).click();
      await demo.page.getByRole('checkbox').first().waitFor();
      await examine(`builder-${name}`);
      await demo.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await demo.page.getByRole('heading', { name: 'Begin here' }).waitFor();
      await examine(`docs-home-${name}`);
    },
  );
});
