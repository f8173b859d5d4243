// What a newcomer does with the explorer, step by step, against any server that serves it.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export async function openGraphiql(page: Page, baseUrl: string): Promise<void> {
  await page.goto(new URL('/graphql', baseUrl).href);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
}

export async function enterKey(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(apiKey);
}

export const waitForKeyStatus = (page: Page, text: string) =>
  page.locator('#api-key-status', { hasText: text }).waitFor({ timeout: 10_000 });

export async function openDocs(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByRole('link', { name: 'Query', exact: true }).click();
  await page
    .locator('.graphiql-doc-explorer-field-name, .graphiql-plugin a', { hasText: 'workspace' })
    .first()
    .waitFor();
}

async function closeDocs(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
}

export async function chooseExample(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: title }).click();
}

/** Runs the active tab and returns the part of the answer that the response pane shows. */
export const runQuery = (page: Page): Promise<string> =>
  answerTo(page, () => page.getByRole('button', { name: /^Execute query/ }).click());

/** Does what runs the active tab, and returns the part of the answer that the response pane shows. */
export async function answerTo(page: Page, run: () => Promise<void>): Promise<string> {
  const answered = page.waitForResponse(
    (response) => response.url().endsWith('/graphql') && response.request().method() === 'POST',
  );
  await run();
  await answered;
  const lines = page.locator('.graphiql-response .view-lines');
  await lines
    .getByText(/"(help|data|errors)"/)
    .first()
    .waitFor();
  return (await lines.innerText()).replaceAll('\u00a0', ' ');
}

/** The whole visit: docs without a key, a key that is not accepted, the right key, an example that shows data. */
export async function exploreAsUser(page: Page, baseUrl: string, apiKey: string): Promise<void> {
  await openGraphiql(page, baseUrl);
  await openDocs(page);
  await closeDocs(page);

  await enterKey(page, 'fgw_wrong');
  await waitForKeyStatus(page, 'Key not accepted');

  await enterKey(page, apiKey);
  await waitForKeyStatus(page, 'Key accepted');

  const answer = await runQuery(page);
  expect(answer).toContain('"viewer"');
  expect(answer).not.toContain('"errors"');
}
