// What a person does on the pages of the authorization server: only what they see and can press.
import type { Page } from 'playwright-core';

export async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const tick = (page: Page, name: string | RegExp) => page.getByLabel(name, { exact: true }).check();
