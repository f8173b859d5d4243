// A page as a REST answer: a bare array, with the headers that lead to the next page (spec §4 rules 3-4).
import type { Page } from '../pagination.ts';

/**
 * The array and, unless it is empty, `Pagination-Next` and `Link`; the last page has them too, so that a client can
 * keep the id as its checkpoint (DESIGN §5).
 * @param url the public URL that the client asked for
 */
export function pageResponse<Row extends { id: bigint }>(
  page: Page<Row>,
  write: (row: Row) => string,
  url: URL,
): Response {
  const headers = new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  const last = page.rows.at(-1);
  if (last !== undefined) {
    headers.set('Pagination-Next', String(last.id));
    headers.set('Link', `<${withAfter(url, last.id)}>; rel="next"`);
  }
  return new Response(`[${page.rows.map(write).join(',')}]`, { headers });
}

/** The URL with `after` replaced (or added at the end), and every other parameter as the client sent it. */
export function withAfter(url: URL, after: bigint): string {
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isAfter(pair));
  return `${url.origin}${url.pathname}?${[...kept, `after=${after}`].join('&')}`;
}

function isAfter(pair: string): boolean {
  // The "&" keeps a "?" that the name may begin with.
  const [name] = new URLSearchParams(`&${pair}`).keys();
  return name === 'after';
}

/** One object. */
export function objectResponse(json: string): Response {
  return new Response(json, {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

/** An array that is written chunk by chunk, as the rows come; no pagination headers (spec §4 rule 7). */
export function registryResponse<Row>(
  chunks: AsyncIterable<readonly Row[]>,
  write: (row: Row) => string,
): Response {
  return new Response(ReadableStream.from(encodeArray(chunks, write)), {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

async function* encodeArray<Row>(chunks: AsyncIterable<readonly Row[]>, write: (row: Row) => string) {
  const encoder = new TextEncoder();
  let opened = false;
  for await (const rows of chunks) {
    const text = rows.map(write).join(',');
    yield encoder.encode(`${opened ? ',' : '['}${text}`);
    opened = true;
  }
  yield encoder.encode(opened ? ']' : '[]');
}
