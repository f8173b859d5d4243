// Distinguishes people from programs: a person in a browser gets a page where a program gets data.
import type { Context, Hono } from 'hono';
import { methodNotAllowed } from '../../errors.ts';
import { addVary, type Exchange, type HttpEnv } from '../exchange.ts';

/** Whether an Accept header prefers HTML. Browsers list text/html first; programs list JSON or nothing. */
export function acceptsHtml(accept: string | null | undefined): boolean {
  return accept != null && /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(accept);
}

/** Whether the host has our pages. Customers' own domains do not have them. */
async function isOurHost(exchange: Exchange): Promise<boolean> {
  return (await exchange.resolveHost()).kind !== 'custom_domain';
}

/** Whether a person opens one of our hosts in a browser, without credentials. @param exchange a GET or HEAD request */
export function isForPerson(exchange: Exchange): Promise<boolean> | false {
  const { headers } = exchange.request;
  if (!acceptsHtml(headers.get('accept')) || headers.has('authorization')) return false;
  return isOurHost(exchange);
}

/** Adds the headers that `isForPerson` reads to Vary. */
export function variesByReader(response: Response): Response {
  for (const name of ['Accept', 'Authorization']) addVary(response.headers, name);
  return response;
}

/**
 * Serves a page for people at a path. Mount the handler for programs afterwards.
 * @param page creates the page; null if there is none for the path's parameters
 */
export function mountPage(
  http: Hono<HttpEnv>,
  path: string,
  page: (c: Context<HttpEnv>) => Promise<Response | null>,
): void {
  http.get(path, async (c, next) => {
    const pageAnswer = (await isForPerson(c.env.exchange)) ? await page(c) : null;
    if (pageAnswer !== null) return variesByReader(pageAnswer);
    await next();
    variesByReader(c.res);
    return undefined;
  });
}

/** Serves GET and HEAD at a path of our hosts. @param answer returns null if the path does not exist */
export function mountReadOnly(
  http: Hono<HttpEnv>,
  path: string,
  answer: (c: Context<HttpEnv>) => Promise<Response | null>,
): void {
  http.get(path, async (c, next) =>
    (await isOurHost(c.env.exchange)) ? ((await answer(c)) ?? next()) : next(),
  );
  refuseWrites(http, path);
}

/** Answers methods other than GET and HEAD at a path with 405. */
export function refuseWrites(http: Hono<HttpEnv>, path: string): void {
  http.all(path, (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    throw methodNotAllowed(['GET', 'HEAD']);
  });
}
