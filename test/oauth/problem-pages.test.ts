// The pages for people who cannot continue: what happened, what to do, how long to wait, and the request id for the operator. Programs on
// the same paths get a problem document.
import { beforeEach, describe, expect, test } from 'vitest';
import { networkKey } from '../../src/services/limits/throttle.ts';
import { countTry } from '../../src/store/accounts/sign-in-failures.ts';
import { ownGateway } from '../support/gateway.ts';
import { Browser, createScene, requirePage, signIn } from '../support/oauth.ts';
import { prismaOf } from '../support/prisma.ts';

const ACCOUNT = 'http://localhost:4000/account';
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const FORM = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' };
let scene: Awaited<ReturnType<typeof createScene>>;
let now: Date;

const gateway = await ownGateway({ overrides: { clock: () => now } });
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:30Z');
  await prismaOf(gateway.app.store).signInFailure.deleteMany();
  scene = await createScene(gateway);
});

/** An authorization request with these parameters changed. */
async function authorize(changes: Record<string, string | null>): Promise<string> {
  const { pathname, search } = new URL((await scene.platform.request(changes)).url);
  return pathname + search;
}

const nothing = new URLSearchParams({ csrf: 'x' }).toString();

const PROBLEMS: [string, number, string, () => Promise<Response>][] = [
  [
    'an unknown client',
    400,
    'Unknown application',
    async () => gateway.send(await authorize({ client_id: 'unknown' }), { headers: HTML }),
  ],
  [
    'an address that is not the client’s',
    400,
    'The way back is not known',
    async () => gateway.send(await authorize({ redirect_uri: 'https://evil.example/' }), { headers: HTML }),
  ],
  [
    'a request without a client',
    400,
    'The application’s request is not valid',
    async () => gateway.send(await authorize({ client_id: null }), { headers: HTML }),
  ],
  [
    'a request that is too long',
    400,
    'This did not work',
    async () => gateway.send(await authorize({ state: 'x'.repeat(5_000) }), { headers: HTML }),
  ],
  [
    'an interaction that is over',
    400,
    'This page has expired',
    () => gateway.send('/oauth/interaction/none', { headers: HTML }),
  ],
  [
    'a request to go on that is over',
    400,
    'This page has expired',
    () => gateway.send('/oauth/authorize/none', { headers: HTML }),
  ],
  [
    'a form of another browser',
    403,
    'This form is out of date',
    () => gateway.send('/account', { method: 'POST', headers: FORM, body: nothing }),
  ],
  [
    'something that is no form',
    415,
    'This did not work',
    () =>
      gateway.send('/account', {
        method: 'POST',
        headers: { ...HTML, 'content-type': 'text/plain' },
        body: 'x',
      }),
  ],
  [
    'a path that is not there',
    404,
    'There is no such page',
    () => gateway.send('/account/nothing', { headers: HTML }),
  ],
  [
    'a path below /oauth that is not there',
    404,
    'There is no such page',
    () => gateway.send('/oauth/nothing', { headers: HTML }),
  ],
  [
    'an address for programs',
    405,
    'This address is not a page',
    () => gateway.send('/oauth/token', { headers: HTML }),
  ],
];

describe.each(PROBLEMS)('%s', (_, status, title, ask) => {
  test('gets a page that says what happened, what to do, and the request id', async () => {
    const answer = await ask();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    const text = await answer.text();
    expect(text).toContain(`<h1>${title}</h1>`);
    const sentences = [...text.matchAll(/<p>([^<]+)<\/p>/g)].map(([, sentence = '']) => sentence);
    expect(sentences).toHaveLength(2);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{10,}\.$/);
    expect(text).toContain(`<code>${answer.headers.get('x-request-id')}</code>`);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

test('the page also has the library’s message, for developers of the application', async () => {
  const answer = await gateway.send(await authorize({ redirect_uri: 'https://evil.example/' }), {
    headers: { ...HTML, 'x-request-id': 'mine.1' },
  });
  const text = await answer.text();
  expect(text).toContain('invalid_redirect_uri: redirect_uri did not match');
  expect(text).toContain('<code>mine.1</code>');
});

test('a program gets a problem document instead of a page', async () => {
  for (const [path, status] of [
    ['/oauth/nothing', 404],
    ['/oauth/token', 405],
  ] as const) {
    const answer = await gateway.send(path, { headers: { accept: 'application/json' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  }
});

test('refusals keep their headers on pages: Allow, Retry-After', async () => {
  const refused = await gateway.send('/oauth/authorize', { method: 'POST', headers: FORM, body: nothing });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

describe('a person who must wait', () => {
  const WAIT = 'Try again in about 15 minutes, after 12:16 UTC.';

  test('learns until when, in the same words for an address without an account', async () => {
    const answers = await Promise.all(
      [scene.user.email, 'nobody-at-all@example.com'].map(async (email) => {
        const browser = new Browser(scene.fetch);
        let page = requirePage(await browser.open(ACCOUNT));
        for (let i = 0; i < 11; i++)
          page = requirePage(await signIn(browser, page, email, 'not the password'));
        const random = /name="csrf" value="[^"]*"/;
        return {
          status: page.status,
          wait: page.headers.get('retry-after'),
          text: page.text.replaceAll(email, 'E-MAIL').replace(random, 'CSRF'),
        };
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 429, wait: '900' });
    expect(answers[0]?.text).toContain(`There were too many attempts to sign in. Try again later. ${WAIT}`);
    // The typed text is correct.
    expect(answers[0]?.text).not.toMatch(/<input[^>]*aria-invalid/);
  });

  test('learns this after a redirect from an application too', async () => {
    let page = requirePage(await scene.browser.open((await scene.platform.request()).url));
    for (let i = 0; i < 11; i++)
      page = requirePage(await signIn(scene.browser, page, scene.user.email, 'not the password'));
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '900']);
    expect(page.text).toContain(WAIT);
  });

  test('learns this before a sign-in starts', async () => {
    const key = networkKey(gateway.app, 'authorization', 'unknown');
    for (let i = 0; i < 500; i++) await countTry(gateway.app.store, key, now, 15 * 60_000);
    const answer = await gateway.send(await authorize({}), { headers: HTML });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '900']);
    expect(await answer.text()).toContain(WAIT);
  });
});
