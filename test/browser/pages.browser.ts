// The pages that people get where programs get data, in a real browser: readable, accessible, and from this machine alone.
import { beforeEach, expect, test } from 'vitest';
import { sampleAt } from '../support/nightly.ts';
import { axeFindings } from './axe.ts';
import { provideDemoBrowser } from './chromium.ts';

const demo = provideDemoBrowser();
beforeEach(() => demo.open());

const PAGES = {
  home: '/',
  guides: '/docs/',
  readme: '/README.md',
  configuration: '/docs/configuration',
  contributing: '/docs/CONTRIBUTING',
  'not-found': '/orders',
} as const;

/** Every second one has both schemes, at different widths. */
const LOOKS = [
  ['light', 1280, 800, 'light'],
  ['phone', 390, 844, 'light'],
  ['phone-dark', 390, 844, 'dark'],
  ['dark', 1280, 800, 'dark'],
  ['tablet-dark', 768, 1024, 'dark'],
] as const;

test.each(Object.entries(PAGES))('fit their window, and axe finds nothing: %s', async (page, path) => {
  await demo.page.goto(demo.server.url + path);
  for (const [name, width, height, colorScheme] of sampleAt(page, LOOKS, 2)) {
    await demo.page.setViewportSize({ width, height });
    await demo.page.emulateMedia({ colorScheme });
    await demo.shoot(`page-${page}-${name}`);
    expect([name, await axeFindings(demo.page)]).toEqual([name, []]);
  }
  expect(demo.record.requests.filter(({ url }) => new URL(url).origin !== demo.server.url)).toEqual([]);
  // Chromium says so of each answer that is 404.
  expect(demo.record.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
});

test('a person with a wrong address finds a guide, its headings and its picture', async () => {
  await demo.page.goto(`${demo.server.url}/contact`);
  await demo.page.getByRole('link', { name: 'Guides' }).click();
  await demo.page.getByRole('link', { name: 'Configuration' }).click();
  await demo.page.getByRole('heading', { name: 'Configuration', level: 1 }).waitFor();
  await demo.page.goBack();
  await demo.page.getByRole('link', { name: 'Operating' }).click();
  await demo.page.locator('a[href="/docs/scaling#several-processes"]').first().click();
  await demo.page.waitForURL('**/docs/scaling#several-processes');
  expect(await demo.page.locator('#several-processes').isVisible()).toBe(true);
  await demo.page.getByRole('link', { name: 'Guides' }).click();
  await demo.page.getByRole('link', { name: 'Funnel Gateway' }).click();
  const picture = demo.page.getByRole('img', { name: 'GraphiQL' });
  await picture.waitFor();
  expect(await demo.page.evaluate<number>('document.images[0].naturalWidth')).toBe(1200);
});
