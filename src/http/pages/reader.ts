// Distinguishes people from programs: a person in a browser gets a page where a program gets data.
import type { Context, Hono } from 'hono';
import { addVary, type Exchange, type HttpEnv } from '../exchange.ts';

/** Browsers name text/html first; programs name JSON or nothing. */
export function acceptsHtml(accept: string | null | undefined): boolean {
  return accept != null && /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(accept);
}

/** Whether our pages are shown on this host. They are not shown on customers' own domains. */
export async function isOurHost(exchange: Exchange): Promise<boolean> {
  return (await exchange.resolveHost()).kind !== 'custom_domain';
}

/** Whether a person opens one of our hosts in a browser, without credentials. @param exchange a GET or HEAD request */
export function isForPerson(exchange: Exchange): Promise<boolean> | false {
  const { headers } = exchange.request;
  if (!acceptsHtml(headers.get('accept')) || headers.has('authorization')) return false;
  return isOurHost(exchange);
}

/** Adds the headers by which `isForPerson` decides to Vary. */
export function variesByReader(response: Response): Response {
  for (const name of ['Accept', 'Authorization']) addVary(response.headers, name);
  return response;
}

/**
 * Serves a page for people at a path. The handler for programs must be mounted afterwards.
 * @param page creates it; null if there is none for the path's parameters
 */
export function mountPage(
  http: Hono<HttpEnv>,
  path: string,
  page: (c: Context<HttpEnv>) => Promise<Response | null>,
): void {
  http.get(path, async (c, next) => {
    const shown = (await isForPerson(c.env.exchange)) ? await page(c) : null;
    if (shown !== null) return variesByReader(shown);
    await next();
    variesByReader(c.res);
    return undefined;
  });
}
