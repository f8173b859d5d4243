// Walks a list as an ordinary client does: follows `Link` until a page is empty.
import type { Gateway, RequestOptions } from './gateway.ts';

export interface WalkedPage {
  readonly ids: bigint[];
  readonly response: Response;
}

/** The ids in a list's body. */
export async function idsOf(response: Response): Promise<bigint[]> {
  const rows = (await response.json()) as { id: number }[];
  return rows.map((row) => BigInt(row.id));
}

/** The target of a `Link` header, or null without one. */
export function nextOf(response: Response): string | null {
  const link = response.headers.get('Link');
  if (link === null) return null;
  const url = /^<([^<>]+)>; rel="next"$/.exec(link)?.[1];
  if (url === undefined) throw new Error(`Not a next link: ${link}`);
  return url;
}

/** Every page including the empty last one. `between` runs after each page. */
export async function walk(
  gateway: Gateway,
  path: string,
  options: RequestOptions,
  between: (page: WalkedPage) => Promise<unknown> = async () => undefined,
): Promise<WalkedPage[]> {
  const pages: WalkedPage[] = [];
  for (let next: string | null = path; next !== null; ) {
    const response = await gateway.send(next, options);
    if (response.status !== 200) throw new Error(`${next}: ${response.status} ${await response.text()}`);
    const page = { response, ids: await idsOf(response) };
    pages.push(page);
    if (pages.length > 2_000) throw new Error('The walk does not end.');
    await between(page);
    const url = nextOf(response);
    next = url === null ? null : new URL(url).pathname + new URL(url).search;
  }
  return pages;
}

/** All ids of a walk, in the order of the pages. */
export function allIds(pages: readonly WalkedPage[]): bigint[] {
  return pages.flatMap((page) => page.ids);
}

/** Reads a body with one or more objects of this type. */
export async function json<Body>(response: Response): Promise<Body> {
  return (await response.json()) as Body;
}
