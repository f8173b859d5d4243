// The log: a line a request with its id, and never a credential.
import { once } from 'node:events';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createToken } from '../src/auth/tokens.ts';
import { AppError } from '../src/errors.ts';
import { createServer } from '../src/http/server.ts';
import { createLogger } from '../src/output/log.ts';
import type { Span } from '../src/telemetry/tracing.ts';
import { read, tableUnder } from './docs/markdown.ts';
import * as factories from './support/factories.ts';
import {
  type Caller,
  createGateway,
  openGateway,
  ownGateway,
  type RequestOptions,
} from './support/gateway.ts';
import { Browser, createScene, fetchOf, getTokens, requirePage, signIn } from './support/oauth.ts';
import { prismaOf } from './support/prisma.ts';

const gateway = await ownGateway({ env: { LOG_LEVEL: 'info' } });
const teamId = (await factories.team(gateway.app)).id;
const caller = await factories.apiKey(gateway.app, { teamId });
const { publicId } = await prismaOf(gateway.app.store).apiKey.findFirstOrThrow();

let requests = 0;

/** The line about a request, which is the only one with its id. */
async function lineOf(path: string, options: RequestOptions = {}): Promise<Record<string, unknown>> {
  const id = `line-${++requests}`;
  await gateway.send(path, { ...options, headers: { ...options.headers, 'X-Request-Id': id } });
  const lines = gateway.logLines.filter((line) => line.includes(`"${id}"`));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

function postForm(path: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
  return lineOf(path, { method: 'POST', headers: FORM, body: String(new URLSearchParams(fields)) });
}

function postGraphql(body: object, from: Caller = caller): Promise<Record<string, unknown>> {
  const headers = { 'Content-Type': 'application/json' };
  return lineOf('/graphql', { method: 'POST', caller: from, headers, body: JSON.stringify(body) });
}

test('every request is logged as one line with its id, method, path, status and the public id of the key', async () => {
  await gateway.send('/api/v2/teams?per_page=5', { caller, headers: { 'X-Request-Id': 'log-1' } });
  await gateway.send('/nothing', { headers: { 'X-Request-Id': 'log-2' } });
  const [first, second] = ['log-1', 'log-2'].map((id) =>
    gateway.logLines.filter((line) => line.includes(id)),
  );
  expect(first?.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'info',
      requestId: 'log-1',
      method: 'GET',
      path: '/api/v2/teams',
      status: 200,
      apiKey: publicId,
    },
  ]);
  expect(second?.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: 'log-2', path: '/nothing', status: 404 },
  ]);
});

describe('the line of a refusal says why', () => {
  test.each([
    [
      '/api/v2/teams?per_page=0',
      {},
      { status: 422, code: 'invalid', operation: 'listTeams', route: '/api/v2/teams' },
    ],
    [
      '/api/v2/contacts/1',
      {},
      { status: 404, code: 'not_found', operation: 'getContact', route: '/api/v2/contacts/{id}' },
    ],
    ['/api/v2/teams', { method: 'PUT' }, { status: 405, code: 'method_not_allowed', route: '/api/v2/teams' }],
    ['/nothing', {}, { status: 404, code: 'not_found' }],
  ] as const)('REST: %s %o', async (path, options, expected) => {
    const line = await lineOf(path, { caller, ...options });
    expect(line).toMatchObject({ ...expected, reason: expect.stringMatching(/\S/) });
  });

  test('REST: the log has the id of a key without the scope, but not an invalid credential', async () => {
    const narrow = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:read'] });
    const key = await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({ where: { id: narrow.id } });
    expect(await lineOf('/api/v2/teams', { caller: narrow })).toMatchObject({
      code: 'insufficient_scope',
      apiKey: key.publicId,
      reason: expect.stringContaining('account:read'),
    });
    const unknown = await lineOf('/api/v2/teams', { caller: { authorization: 'Bearer nonsense' } });
    expect(unknown).toMatchObject({
      code: 'unauthenticated',
      reason: expect.stringContaining('API key invalid'),
    });
    expect(unknown).not.toHaveProperty('apiKey');
  });

  test('an unknown host', async () => {
    expect(await lineOf('/api/v2/teams', { host: 'nobody.example' })).toMatchObject({
      code: 'misdirected_request',
      route: '/api/v2/teams',
    });
  });

  test('text from the client is truncated, and no token is left in part', async () => {
    const token = 'aB3-'.repeat(11).slice(0, 43);
    const long = await lineOf(`/${'x'.repeat(9_000)}`, { host: `${'h'.repeat(9_000)}.example` });
    for (const name of ['path', 'host', 'reason']) expect(String(long[name]).length).toBeLessThan(310);
    for (const at of [230, 250, 270]) {
      const uri = `http://${'x.'.repeat(at / 2)}example/?code=${token}`;
      const line = await lineOf('/oauth/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [uri] }),
      });
      expect(line['reason']).toContain('x.x.x.');
      expect(line['reason']).not.toContain(token.slice(0, 12));
    }
  });

  test('invalid HTTP', () => {
    createServer(gateway.app).refuse(new AppError('bad_request', 'The request could not be read.'), {
      address: '192.0.2.1',
    });
    expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject({
      msg: 'no request',
      status: 400,
      code: 'bad_request',
      reason: 'The request could not be read.',
      address: '192.0.2.1',
    });
  });

  test('GraphQL: an error inside a 200, with the operation and its name', async () => {
    const query = 'query Find($id: ID!) { node(id: $id) { id } team(by: { databaseId: 424242 }) { name } }';
    const one = await postGraphql({ query: 'query Mine { team(by: { id: "nonsense" }) { name } }' });
    expect(one).toMatchObject({
      status: 200,
      route: '/graphql',
      operation: 'Query.team',
      operationName: 'Mine',
      apiKey: publicId,
      code: 'invalid',
      reason: expect.stringContaining('by.id must be a global id'),
    });
    expect(one).not.toHaveProperty('errors');
    expect(await postGraphql({ query, variables: { id: 'nonsense' } })).toMatchObject({ code: 'invalid' });
    expect(
      await postGraphql({
        query: '{ a: team(by: { id: "4242" }) { name } b: team(by: { id: "4243" }) { name } }',
      }),
    ).toMatchObject({ status: 200, errors: 2 });
  });

  test('GraphQL: an invalid document, with its names and without its values', async () => {
    const [parsed, field, literal, variable] = [
      await postGraphql({ query: 'query Q { viewer {' }),
      await postGraphql({ query: 'query Q { viewer { teams { nodes { emial } } } }' }),
      await postGraphql({ query: 'query Q { viewer { teams(first: "hunter2") { nodes { id } } } }' }),
      await postGraphql({
        query: 'query Q($n: Int!) { viewer { teams(first: $n) { nodes { id } } } }',
        variables: { n: 'hunter2' },
      }),
    ];
    expect(parsed).toMatchObject({ operation: 'unknown', code: 'graphql_parse_failed' });
    expect(field).toMatchObject({
      code: 'graphql_validation_failed',
      reason: expect.stringContaining('Cannot query field "emial" on type "Team"'),
    });
    expect(literal).toMatchObject({ reason: 'Int cannot represent non-integer value: …' });
    expect(variable).toMatchObject({ reason: 'Variable "$n" got invalid value …' });
  });

  test('GraphQL: an anonymous caller', async () => {
    const line = await postGraphql(
      { query: '{ viewer { teams { nodes { id } } } }' },
      { authorization: null },
    );
    expect(line).toMatchObject({ status: 401, code: 'unauthenticated', operation: 'Query.viewer' });
  });

  test('an answer without an error logs none, compiled or not', async () => {
    for (let n = 0; n < 2; n++) {
      const line = await postGraphql({ query: 'query Ours { viewer { kind } }' });
      expect(line).toMatchObject({ status: 200, operation: 'Query.viewer', operationName: 'Ours' });
      expect(line).not.toHaveProperty('code');
    }
  });
});

describe('the log lines of the authorization server have its context', () => {
  test('an unknown client', async () => {
    const fields = { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'x' };
    const line = await postForm('/oauth/token', fields);
    expect(line).toMatchObject({ status: 401, route: '/oauth/token', code: 'invalid_client' });
    expect(line['reason']).toContain('client not found');
    expect(line).not.toHaveProperty('client');
  });

  test('a known client with a wrong secret', async () => {
    const { id } = await factories.oauthClient(gateway.app);
    const fields = { grant_type: 'client_credentials', client_id: id, client_secret: 'x' };
    expect(await postForm('/oauth/token', fields)).toMatchObject({
      code: 'invalid_client',
      client: id,
      reason: expect.stringContaining('invalid secret provided'),
    });
  });

  test('a replayed code; requests with its tokens have client and subject', async () => {
    const scene = await createScene(gateway);
    const { back, sent, tokens } = await getTokens(scene);
    const authorization = `Bearer ${tokens.access_token}`;
    expect(await lineOf('/api/v2/teams', { caller: { authorization } })).toMatchObject({
      client: scene.platform.client.client_id,
      subject: scene.user.publicId,
    });
    await scene.platform.redeem(back, sent).catch(() => {});
    const line = JSON.parse(gateway.logLines.at(-1) ?? '');
    expect(line).toMatchObject({
      status: 400,
      route: '/oauth/token',
      code: 'invalid_grant',
      client: scene.platform.client.client_id,
      reason: expect.stringContaining('authorization code already consumed'),
    });
  });

  test('an authorization request that is refused by a redirect, and one by a page', async () => {
    const { platform } = await createScene(gateway);
    const ofRequest = async (changes: Record<string, string>) => {
      const { pathname, search } = new URL((await platform.request(changes)).url);
      return lineOf(pathname + search, { headers: { accept: 'text/html' } });
    };
    expect(await ofRequest({ code_challenge_method: 'plain' })).toMatchObject({
      status: 303,
      code: 'invalid_request',
      client: platform.client.client_id,
    });
    expect(await ofRequest({ client_id: 'nobody' })).toMatchObject({
      status: 400,
      code: 'invalid_client',
      reason: expect.stringContaining('client not found'),
    });
  });

  test('a wrong password, a form of another browser, an expired page', async () => {
    const { platform, user } = await createScene(gateway);
    const browser = new Browser(fetchOf(gateway));
    const page = requirePage(await browser.open((await platform.request()).url));
    await signIn(browser, page, user.email, 'not the right password');
    expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject({
      status: 422,
      route: '/oauth/interaction/{uid}',
      code: 'unauthenticated',
      reason: 'E-mail address or password is wrong.',
      client: platform.client.client_id,
    });
    await browser.submit(
      { ...page, text: page.text.replace(/name="csrf" value="[^"]*"/, 'name="csrf" value=""') },
      [],
      'deny',
    );
    expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject({ status: 403, code: 'access_denied' });
    expect(await lineOf('/oauth/interaction/gone', { headers: { accept: 'text/html' } })).toMatchObject({
      status: 400,
      code: 'bad_request',
    });
  });
});

test('a token is in no log line, wherever a client sends it', async () => {
  const header = fc.constantFrom(
    'Authorization',
    'Cookie',
    'X-Api-Key',
    'X-Request-Id',
    'Referer',
    'User-Agent',
    'X-Forwarded-Host',
    'Proxy-Authorization',
    'Accept',
  );
  const wrap = fc.constantFrom(
    'Bearer TOKEN',
    'TOKEN',
    'Basic TOKEN',
    'token=TOKEN; a=b',
    'Bearer  TOKEN,Bearer TOKEN',
  );
  const path = fc.constantFrom(
    '/api/v2/teams',
    '/nothing',
    '/api/v2/teams?per_page=0',
    '/api/v2/teams?access_token=TOKEN',
    '/api/v2/contacts/TOKEN',
  );
  const grant = fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials', 'password');
  const bodies = (token: string) => [
    { query: `query ${token} { viewer { teams { nodes { id } } } }`, operationName: token },
    { query: `query { ${token} }` },
    { query: `{ viewer { teams(first: "${token}") { nodes { id } } } }` },
    { query: `{ ${token}: team(by: { databaseId: 4 }) { name } }` },
    { query: 'query Q($id: ID!) { node(id: $id) { id } }', variables: { id: token } },
    { query: `{ viewer { teams { nodes { ...${token} } } } }` },
    { query: token },
  ];
  const body = fc.nat({ max: bodies('').length - 1 });
  const tokens = [caller.token, createToken().token, caller.token.slice(0, -1)];
  const secret = fc.constantFrom(...tokens);
  await fc.assert(
    fc.asyncProperty(
      header,
      wrap,
      path,
      secret,
      body,
      grant,
      async (name, form, where, token, random, grant) => {
        await gateway.send(where.replace('TOKEN', token), {
          headers: { [name]: form.replaceAll('TOKEN', token) },
        });
        await gateway.send('/graphql', {
          method: 'POST',
          caller,
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(bodies(token)[random]),
        });
        const fields = { client_id: token, client_secret: token, code: token, scope: token, username: token };
        await gateway.send('/oauth/token', {
          method: 'POST',
          headers: FORM,
          body: String(
            new URLSearchParams({ ...fields, grant_type: grant, refresh_token: token, resource: token }),
          ),
        });
      },
    ),
    { numRuns: 70, endOnFailure: true },
  );
  const logged = gateway.logLines.join('');
  // The first characters alone are the hint that lists of keys show.
  for (const token of tokens) expect(logged).not.toContain(token.slice(0, 16));
});

test('the log of a failure has neither the connection string nor a token', async () => {
  const broken = await createGateway();
  const owner = await factories.apiKey(broken.app, { teamId: (await factories.team(broken.app)).id });
  await broken.app.store.pool.query('alter table teams rename to elsewhere');
  expect((await broken.send('/api/v2/teams', { caller: owner })).status).toBe(500);
  const logged = broken.logLines.join('');
  expect(logged).toContain('"level":"error"');
  expect(logged).not.toContain(owner.token);
  expect(logged).not.toContain(
    new URL(broken.app.store.pool.options.connectionString ?? '').password || 'postgresql://',
  );
  expect(logged).not.toContain('postgresql://');
  await broken.close();
});

test('a connection that is lost while idle is one short line with the reason', async () => {
  const { pool } = gateway.app.store;
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const lost = once(pool, 'error');
  const other = new pg.Client({ connectionString: pool.options.connectionString });
  await other.connect();
  await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await other.end();
  await lost;
  const line = gateway.logLines.find((text) => text.includes('idle database connection lost')) ?? '';
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    reason: 'terminating connection due to administrator command (57P01)',
  });
  expect(line.length).toBeLessThan(300);
});

test('a pool that ends logs no lost connection: the embedded server may stop before the last one', async () => {
  const ending = await createGateway();
  const { pool } = ending.app.store;
  await ending.close();
  pool.emit('error', new Error('terminating connection due to administrator command'), new pg.Client());
  expect(ending.logLines.filter((text) => text.includes('idle database connection lost'))).toEqual([]);
});

test('the fields in the guide are exactly those that occur', async () => {
  const span: Span = { traceId: 'f'.repeat(32), child: () => span, end() {} };
  let now = 1_000_000;
  const traced = await createGateway({
    env: { RATE_LIMIT_ADDRESS: '1' },
    overrides: {
      clock: () => new Date(now),
      tracer: { startExchange: () => span, close: async () => {} },
    },
  });
  const client = { address: '192.0.2.1', headers: { 'User-Agent': 'Shop/1.0' } };
  for (let n = 0; n < 2; n++) await traced.send('/nothing', client);
  const server = createServer(traced.app);
  const refuse = () => server.refuse(new AppError('bad_request', 'x'), { address: '192.0.2.1' });
  for (let n = 0; n < 21; n++) refuse();
  now += 1_000;
  refuse();
  const lines = [...gateway.logLines, ...traced.logLines].map((line) => JSON.parse(line));
  await traced.close();
  const guide = read('docs/observability.md');
  const documented = (heading: string) =>
    tableUnder(guide, heading).flatMap(([names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
  const occurring = (msg: string) =>
    new Set(lines.filter((line) => line.msg === msg).flatMap((line) => Object.keys(line)));
  const everyLine = ['level', 'time', 'msg'];
  expect([...occurring('request')].sort()).toEqual([...documented('Requests'), ...everyLine].sort());
  expect([...occurring('no request')].sort()).toEqual(
    [...documented('Invalid requests'), ...everyLine].sort(),
  );
});

test('a request line has the address of the client, also behind a trusted proxy, and its user agent', async () => {
  const proxied = await ownGateway({ env: { TRUST_PROXY: '10.0.0.0/8' } });
  const line = async (id: string, address: string, headers = {}) => {
    await proxied.send('/healthz', { address, headers: { 'X-Request-Id': id, ...headers } });
    return JSON.parse(proxied.logLines.find((one) => one.includes(`"${id}"`)) ?? '{}');
  };
  const { token } = createToken();
  const agent = { 'User-Agent': `Shop/1.0 ${token}${'x'.repeat(300)}` };
  expect(await line('from-1', '192.0.2.7', agent)).toMatchObject({ address: '192.0.2.7' });
  expect(proxied.logLines.join()).not.toContain(token);
  expect((await line('from-2', '192.0.2.7', agent)).userAgent.length).toBeLessThan(202);
  expect(await line('from-3', '10.0.0.1', { 'X-Forwarded-For': '198.51.100.4' })).toMatchObject({
    address: '198.51.100.4',
  });
  expect(await line('from-4', '192.0.2.7', { 'X-Forwarded-For': '198.51.100.4' })).toMatchObject({
    address: '192.0.2.7',
  });
});

test('without a database, and during a stop, refusals are one line a second without a stack', async () => {
  const lines: string[] = [];
  const log = createLogger('error', { write: (line) => lines.push(line) });
  const clock = () => new Date('2026-11-20T00:00:00Z');
  const away = openGateway(
    { databaseUrl: 'postgresql://gw:s3cret@127.0.0.1:9/none' },
    { overrides: { log, clock } },
  );
  const stopping = createServer({ ...away.app, log }, null, { isBegun: true });
  const paths = ['/readyz', '/api/v2/teams', '/api/v2/contacts/1', '/graphql'];
  for (let round = 0; round < 3; round++) {
    for (const path of paths) expect((await away.send(path, { caller })).status).toBe(503);
    expect((await stopping.fetch(new Request('http://localhost:4000/readyz'))).status).toBe(503);
  }
  await away.close();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', code: 'unavailable' });
  expect(lines[0]).not.toMatch(/"stack"|s3cret/);
});
