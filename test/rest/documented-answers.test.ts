// The check of every answer in the tests (test/support/openapi.ts) accepts only answers as in openapi.json.
import { describe, expect, test } from 'vitest';
import { requireDocumented } from '../support/openapi.ts';

const TEAM = {
  id: 1,
  public_id: 'abcdef',
  name: 'A',
  time_zone: 'UTC',
  locale: 'en',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  memberships: [],
};
const PROBLEM = {
  type: 'about:blank',
  title: 'T',
  status: 401,
  detail: 'D.',
  code: 'unauthenticated',
  errors: [],
  request_id: 'r',
  error: 'D.',
};
const HEADERS = { 'Content-Type': 'application/json', 'X-Request-Id': 'r' };
const PAGE = { ...HEADERS, 'Pagination-Next': '1', Link: '<x>; rel="next"' };
const REFUSAL = {
  'Content-Type': 'application/problem+json',
  'X-Request-Id': 'r',
  'WWW-Authenticate': 'Bearer',
};

interface Case {
  readonly path?: string;
  readonly method?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

function check({
  path = '/api/v2/teams/1',
  method = 'GET',
  status = 200,
  headers = HEADERS,
  body = TEAM,
}: Case) {
  const response = new Response(body === null ? null : JSON.stringify(body), { status, headers });
  return requireDocumented(method, new URL(path, 'http://localhost'), response);
}

const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));

describe('passes', () => {
  test.each<[string, Case]>([
    ['an object', {}],
    ['a page', { path: '/api/v2/teams', headers: PAGE, body: [TEAM] }],
    ['an empty page', { path: '/api/v2/teams', body: [] }],
    ['a refusal', { status: 401, headers: REFUSAL, body: PROBLEM }],
    ['a fault of ours', { status: 500, headers: REFUSAL, body: { ...PROBLEM, code: 'internal' } }],
    ['HEAD', { method: 'HEAD', body: null }],
    ['another face', { path: '/graphql', status: 418, headers: {}, body: 'x' }],
  ])('%s', async (_, answer) => {
    const response = await check(answer);
    // It can still be read.
    expect(await response.text()).toBe(answer.body === null ? '' : JSON.stringify(answer.body ?? TEAM));
  });
});

describe('refuses', () => {
  const refusal = { status: 401, headers: REFUSAL, body: PROBLEM };
  test.each<[string, Case, string]>([
    ['a status that is not named', { status: 202 }, 'does not name this status'],
    ['one that another operation has', { ...refusal, status: 410 }, 'does not name this status'],
    ['a method that is not named', { method: 'DELETE' }, 'no such operation'],
    ['a member that is not named', { body: { ...TEAM, secret: 1 } }, 'additional properties'],
    ['a member that is missing', { body: { ...TEAM, name: undefined } }, "required property 'name'"],
    ['a member of another type', { body: { ...TEAM, id: '1' } }, 'body/id must be integer'],
    ['a time that is none', { body: { ...TEAM, created_at: 'today' } }, 'body/created_at must match format'],
    ['a null that is not named', { body: { ...TEAM, name: null } }, 'body/name must be string'],
    ['a code that is unknown', { ...refusal, body: { ...PROBLEM, code: 'x' } }, 'body/code'],
    ['another content type', { headers: { ...HEADERS, 'Content-Type': 'text/plain' } }, 'it is text/plain'],
    ['no request id', { headers: without(HEADERS, 'X-Request-Id') }, 'X-Request-Id is missing'],
    [
      'no challenge',
      { ...refusal, headers: without(REFUSAL, 'WWW-Authenticate') },
      'WWW-Authenticate is missing',
    ],
    [
      'a page that leads nowhere',
      { path: '/api/v2/teams', body: [TEAM], headers: without(PAGE, 'Link') },
      'Link is not',
    ],
    [
      'an empty page that leads on',
      { path: '/api/v2/teams', body: [], headers: PAGE },
      'Pagination-Next is not',
    ],
    [
      'an id that is none',
      { path: '/api/v2/teams', body: [TEAM], headers: { ...PAGE, 'Pagination-Next': 'x' } },
      'is x',
    ],
  ])('%s', async (_, answer, why) => {
    await expect(check(answer)).rejects.toThrow(why);
    await expect(check(answer)).rejects.toThrow(answer.path ?? '/api/v2/teams/{id}');
  });

  test('a mistake at the end of a streamed answer', async () => {
    const path = '/api/v2/workspaces/1/refine_filters';
    const response = await check({ path, body: [{ id: 'x' }] });
    await expect(response.text()).rejects.toThrow('body/0/id must be integer');
  });
});
