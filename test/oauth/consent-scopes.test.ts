// The scopes on the consent page: those that some operation needs, with changes unticked.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCOPES } from '../../src/auth/scopes.ts';
import { EVENT_TYPES } from '../../src/resources/event-types.ts';
import { sharedGateway } from '../support/gateway.ts';
import { allow, createScene, getTokens, requireLeft, requirePage, signIn } from '../support/oauth.ts';
import { SCOPED } from '../support/operations.ts';

const gateway = await sharedGateway();

/** The scopes of REST operations, of fields in the published schema, and of event subscriptions. */
const schema = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
const needed = new Set([
  ...SCOPED.map(({ scope }) => scope),
  ...[...schema.matchAll(/Needs (\w+:\w+)\./g)].map(([, scope = '']) => scope),
  ...EVENT_TYPES.map(({ scope }) => scope),
]);
const unused = SCOPES.filter((scope) => scope.includes(':') && !needed.has(scope));

const scopesOn = (text: string) =>
  [...text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope);

test('consent asks for the scopes that an operation needs, and the wildcards', async () => {
  expect([...needed]).toEqual(expect.arrayContaining(['funnels:write', 'store:read']));
  const scene = await createScene(gateway);
  const { url } = await scene.platform.request({ scope: SCOPES.join(' ') });
  const page = requirePage(
    await signIn(scene.browser, requirePage(await scene.browser.open(url)), scene.user.email),
  );
  expect(scopesOn(page.text)).toEqual(SCOPES.filter((scope) => !unused.includes(scope)));
});

/** Where each category has a noun that is changed, there is none. */
const testUnused = test.skipIf(unused.length === 0);

testUnused(
  'a request that names others too is granted the rest, is told so, and is not asked again',
  async () => {
    const scene = await createScene(gateway);
    const scope = `contacts:read ${unused.join(' ')}`;
    const { tokens } = await getTokens(scene, {}, { scope });
    expect(tokens.scope).toBe('contacts:read');
    const again = await scene.platform.request({ scope });
    const next = await scene.platform.redeem(requireLeft(await scene.browser.open(again.url)), again);
    expect(next.scope).toBe('contacts:read');
  },
);

testUnused('a request for nothing that an operation needs goes back with invalid_scope', async () => {
  const scene = await createScene(gateway);
  const { url, state } = await scene.platform.request({ scope: unused.join(' ') });
  const back = requireLeft(await scene.browser.open(url)).searchParams;
  expect([back.get('error'), back.get('state')]).toEqual(['invalid_scope', state]);
  expect(back.get('error_description')).toBe('no operation needs any of these scopes');
});

test('if a client requests only changes, the person must tick something, and the page says so', async () => {
  const scene = await createScene(gateway);
  const sent = await scene.platform.request({ scope: 'funnels:write' });
  let page = requirePage(await scene.browser.open(sent.url));
  page = requirePage(await signIn(scene.browser, page, scene.user.email));
  expect(page.text).not.toMatch(/name="scope"[^>]*checked/);
  page = requirePage(await allow(scene.browser, page, { teamId: scene.teamId, scopes: [] }));
  expect([page.status, page.text.includes('Tick at least one thing')]).toEqual([422, true]);
  const back = requireLeft(await allow(scene.browser, page, { teamId: scene.teamId }));
  expect((await scene.platform.redeem(back, sent)).scope).toBe('funnels:write');
});
