// The limits on the length and number of parameters in a request to the authorization server.
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { createScene } from '../support/oauth.ts';

let statements: number;

const gateway = await sharedGateway();
const scene = await createScene(gateway);
gateway.app.store.pool.on('acquire', () => statements++);

const HTML = { accept: 'text/html' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

async function authorize(changes: Record<string, string>, more = '') {
  const { search } = new URL((await scene.platform.request(changes)).url);
  statements = 0;
  return gateway.send(`/oauth/authorize${search}${more}`, { headers: HTML });
}

/** A clear page, and no statement was sent. */
async function expectRefused(answer: Response) {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  expect(await answer.text()).toContain('too long');
  expect(statements).toBe(0);
}

describe('an authorization request', () => {
  test('may have a state of 4,096 characters', async () => {
    expect((await authorize({ state: 's'.repeat(4_096) })).status).toBe(303);
  });

  test.each(['state', 'redirect_uri', 'client_id', 'nonce', 'unheard_of'])(
    'with a longer %s is refused before anything is looked up',
    async (name) => expectRefused(await authorize({ [name]: 's'.repeat(4_097) })),
  );

  test('with parameters that are too long in total is refused as well', async () => {
    await expectRefused(await authorize({ state: 's'.repeat(4_000), nonce: 'n'.repeat(2_000) }));
    await expectRefused(await authorize({ state: '\u20ac'.repeat(700) }));
  });

  test('with too many parameters is refused, because each resource is looked up', async () => {
    await expectRefused(await authorize({}, '&resource=http://x.localhost:4000'.repeat(32)));
  });
});

describe('other endpoints', () => {
  const send = (name: string, body: string, headers: Record<string, string> = FORM) => {
    statements = 0;
    return gateway.send(`/oauth/${name}`, { method: 'POST', headers, body });
  };

  test('a pushed request has the same limits as one in a URL (RFC 9126 \u00a72.3)', async () => {
    const query = new URL((await scene.platform.request()).url).search.slice(1);
    expect((await send('par', `${query}&state=${'s'.repeat(4_097)}`)).status).toBe(413);
    expect((await send('par', `${query}&state=${'s'.repeat(7_000)}`)).status).toBe(413);
    expect((await send('par', `${query}${'&resource=http://x.localhost:4000'.repeat(32)}`)).status).toBe(413);
    expect(statements).toBe(0);
  });

  test.each(['token', 'revoke', 'introspect'])('%s takes no more than so many parameters', async (name) => {
    expect((await send(name, 'token=x&resource=y'.repeat(40))).status).toBe(413);
    expect(statements).toBe(0);
  });

  test('a self-registering client may send at most 8,192 bytes', async () => {
    const metadata = (bytes: number) => {
      const text = JSON.stringify({
        redirect_uris: ['https://p.example/'],
        client_uri: 'https://p.example/',
      });
      return text + ' '.repeat(bytes - text.length);
    };
    expect((await send('register', metadata(8_193), JSON_TYPE)).status).toBe(413);
    expect(statements).toBe(0);
    expect((await send('register', metadata(8_192), JSON_TYPE)).status).toBe(201);
  });
});
