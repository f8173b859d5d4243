// The trie and its replacement choose the same handlers with the same parameters for every path.
import fc from 'fast-check';
import { Hono } from 'hono';
import { UnsupportedPathError } from 'hono/router';
import type { H, RouterRoute } from 'hono/types';
import { expect, test } from 'vitest';
import type { HttpEnv } from '../../src/http/exchange.ts';
import { TwoStepRouter } from '../../src/http/two-step-router.ts';
import { mountRest } from '../../src/rest/router.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];

type Router = TwoStepRouter<[H, RouterRoute]>;

/** The routes of REST and two of other kinds, in a new router. */
function createRouter(): { router: Router; paths: string[] } {
  const router: Router = new TwoStepRouter();
  const http = new Hono<HttpEnv>({ router });
  mountRest(http);
  http.use('/graphql', (_c, next) => next());
  http.all('/graphql', (c) => c.text('graphql'));
  http.get('/graphiql/assets/*', (c) => c.text('asset'));
  return { router, paths: [...new Set(http.routes.map(({ path }) => path))] };
}

/** What a router chooses: the routes in their order, each with its parameters. */
function chosen(router: Router, method: string, path: string): string[] {
  const [found, stash] = router.match(method, path);
  const all = found.map(([[, route], params]) => {
    const values = Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'number' ? stash?.[value] : value,
    ]);
    return `${route.method} ${route.path} ${JSON.stringify(values.sort())}`;
  });
  // A segment that is spelled like a parameter is found by its name, too.
  return [...new Set(all)];
}

test('the router chooses the same route before and after its preparation', () => {
  const { router: first, paths } = createRouter();
  const { router: prepared } = createRouter();
  prepared.prepare();
  const words = new Set(paths.flatMap((path) => path.split('/')));
  const segment = fc.oneof(fc.constantFrom(...words), fc.constantFrom('1', '', '%2F', '..'), fc.string());
  const likeOne = fc.tuple(fc.constantFrom(...paths), segment, fc.nat(9)).map(([path, other, at]) => {
    const parts = path.split('/');
    return parts.map((part, i) => (part.startsWith(':') || i === at ? other : part)).join('/');
  });
  const anyPath = fc.array(segment, { maxLength: 9 }).map((parts) => `/${parts.join('/')}`);
  const requireSame = (method: string, path: string): void => {
    expect(chosen(prepared, method, path), `${method} ${path}`).toEqual(chosen(first, method, path));
  };
  for (const path of paths) for (const method of METHODS) requireSame(method, path);
  const methods = fc.constantFrom(...METHODS);
  fc.assert(fc.property(methods, fc.oneof(likeOne, anyPath), requireSame), { numRuns: 3_000 });
});

test('routes that no regular expression can hold are refused each time, and the trie still has all', () => {
  const router = new TwoStepRouter<string>();
  for (const path of ['/fixed/1', '/:id{[0-9]+}', '/:id{[a-z]+}']) router.add('GET', path, path);
  for (const _ of [1, 2]) {
    expect(() => router.prepare()).toThrow(UnsupportedPathError);
    expect(router.match('GET', '/fixed/1')[0].map(([handler]) => handler)).toEqual(['/fixed/1']);
  }
});
