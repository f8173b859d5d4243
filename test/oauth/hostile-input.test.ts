// Every parameter of the authorization server's endpoints with hostile values: nothing breaks.
import { describe, expect, test } from 'vitest';
import { createServer } from '../../src/http/server.ts';
import { createAuthorizationServer } from '../../src/oauth/authorization-server.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { all, breakages, TEXTS } from '../support/hostile.ts';
import { sampleAt } from '../support/nightly.ts';

const gateway = await ownGateway();
const server = createServer(gateway.app);
const client = await factories.oauthClient(gateway.app);

/** An answer without an internal error. */
async function requireNoBreakage(what: string, response: Response): Promise<void> {
  const text = await response.text();
  if (response.status >= 500 || /server_error|\n {4}at /.test(text))
    expect.fail(`${what}: ${response.status} ${text}`);
}

const PARAMETERS = [
  'client_id',
  'client_secret',
  'response_type',
  'response_mode',
  'redirect_uri',
  'scope',
  'state',
].concat(
  [
    'code_challenge',
    'code_challenge_method',
    'code',
    'code_verifier',
    'refresh_token',
    'grant_type',
    'resource',
  ],
  [
    'token',
    'token_type_hint',
    'request',
    'request_uri',
    'nonce',
    'prompt',
    'max_age',
    'claims',
    'login_hint',
    'x',
    'csrf',
  ],
  [
    'email',
    'password',
    'ui_locales',
    'id_token_hint',
    'dpop_jkt',
    'authorization_details',
    'registration',
    'team',
    'action',
  ],
);

/** As a form has them; a lone surrogate cannot be in one, but bytes that are no UTF-8 can. */
const VALUES = [
  '',
  '%00',
  'a%00b',
  '%ff',
  '%ED%A0%80',
  '%',
  '%EF%BF%BF',
  '1e400',
  '9'.repeat(400),
  `${2n ** 63n}`,
];

/** The parameters of a valid request. */
const GOOD: Record<string, string> = {
  response_type: 'code',
  redirect_uri: 'https://client.example/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'contacts:read',
};

/** A query with one parameter changed. */
function changed(name: string, value: string): string {
  const good = { client_id: client.id, ...GOOD, [name]: undefined };
  const kept = Object.entries(good).filter(([, text]) => text !== undefined);
  return [...kept.map(([key, text]) => `${key}=${encodeURIComponent(text ?? '')}`), `${name}=${value}`].join(
    '&',
  );
}

const paths = (method: string) => [
  ...new Set(
    createAuthorizationServer(gateway.app, async () => new Set())
      .routes.filter(({ methods }) => methods.includes(method))
      .map(({ path }) => path.replaceAll(/:\w+/g, 'x')),
  ),
];

describe.each(PARAMETERS)('%s', (name) => {
  test('may be anything in a query', async () => {
    const requests = paths('GET').flatMap((path) => VALUES.map((value) => `${path}?${changed(name, value)}`));
    await all(sampleAt(name, requests, 30), async (path) =>
      requireNoBreakage(path, await gateway.send(path)),
    );
  });

  test('may be anything in a form', async () => {
    const grants = ['authorization_code', 'refresh_token', 'client_credentials'];
    const requests = paths('POST').flatMap((path) =>
      VALUES.flatMap((value, at) => ({ path, body: `grant_type=${grants[at % 3]}&${changed(name, value)}` })),
    );
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Basic ${btoa(`${client.id}:${client.clientSecret}`)}`,
    };
    await all(sampleAt(name, requests, 30), async ({ path, body }) =>
      requireNoBreakage(`${path} ${body}`, await gateway.send(path, { method: 'POST', headers, body })),
    );
  });
});

describe('a registration', () => {
  let senders = 0;
  /** Each from its own address: a single one would soon have to wait. */
  async function send(body: string): Promise<number> {
    const headers = { 'Content-Type': 'application/json' };
    const request = new Request('http://localhost:4000/oauth/register', { method: 'POST', headers, body });
    senders += 1;
    const address = `10.0.${Math.floor(senders / 200)}.${senders % 200}`;
    const response = await server.fetch(request, { address });
    await requireNoBreakage(body.slice(0, 200), response);
    return response.status;
  }

  const MEMBERS = [
    'client_name',
    'redirect_uris',
    'grant_types',
    'response_types',
    'scope',
    'contacts',
    'logo_uri',
  ].concat(
    [
      'client_uri',
      'jwks',
      'jwks_uri',
      'token_endpoint_auth_method',
      'application_type',
      'software_id',
      'x',
      '__proto__',
    ],
    [
      'policy_uri',
      'tos_uri',
      'client_id',
      'client_secret',
      'default_max_age',
      'require_auth_time',
      'subject_type',
    ],
  );

  test.each(MEMBERS)('may have anything as %s', async (member) => {
    const texts = TEXTS.map((text) => JSON.stringify(text));
    const values = [
      ...texts,
      ...texts.slice(0, 6).map((text) => `[${text}]`),
      '1e400',
      '{}',
      '[[]]',
      'null',
      '{"\\u0000":1}',
    ];
    const rest = member === 'redirect_uris' ? '' : '"redirect_uris":["https://a.example/cb"],';
    await all(sampleAt(member, values), async (value) =>
      expect(await send(`{${rest}"${member}":${value}}`)).not.toBe(429),
    );
  });

  test('may be nested as deep as its length permits', async () => {
    const depth = 25_000;
    for (const member of ['x', 'contacts', 'redirect_uris', 'jwks', 'client_name'])
      await send(
        `{"redirect_uris":["https://a.example/cb"],"${member}":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      );
    await send('['.repeat(50_000));
  });
});

test('afterwards no failure is logged', () => {
  expect(breakages(gateway)).toEqual([]);
});
