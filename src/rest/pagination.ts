// A page as a REST answer: a bare array, with the headers that lead to the next page (spec §4 rules 3-4).

import type { Page } from '../pagination.ts';
import type { Reply } from '../reply.ts';
import { ByteWriter } from '../rows/byte-writer.ts';

/** Adds a row as JSON. */
type Write<Row> = (row: Row, out: ByteWriter) => void;

/** Each answer is put together in one go. */
const out = new ByteWriter();

const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } as const;

/**
 * The array and, unless it is empty, `Pagination-Next` and `Link`; the last page has them too, so that a client can
 * keep the id as its checkpoint (DESIGN §5).
 * @param url the public URL that the client asked for
 */
export function pageReply<Row extends { id: bigint }>(page: Page<Row>, write: Write<Row>, url: URL): Reply {
  out.clear();
  out.addText('[');
  addRows(page.rows, write);
  out.addText(']');
  const body = out.toBuffer();
  const last = page.rows.at(-1)?.id;
  if (last === undefined) return { status: 200, headers: JSON_HEADERS, body };
  const link = `<${withAfter(url, last)}>; rel="next"`;
  return { status: 200, headers: { ...JSON_HEADERS, 'Pagination-Next': String(last), Link: link }, body };
}

/** The URL with `after` replaced (or added at the end), and every other parameter as the client sent it. */
export function withAfter(url: URL, after: bigint): string {
  if (url.search === '') return `${url.origin}${url.pathname}?after=${after}`;
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
export function objectReply<Row>(row: Row, write: Write<Row>): Reply {
  out.clear();
  write(row, out);
  return { status: 200, headers: JSON_HEADERS, body: out.toBuffer() };
}

/** An array that is written chunk by chunk, as the rows come; no pagination headers (spec §4 rule 7). */
export function registryReply<Row>(chunks: AsyncIterable<readonly Row[]>, write: Write<Row>): Reply {
  return { status: 200, headers: JSON_HEADERS, body: ReadableStream.from(encodeArray(chunks, write)) };
}

async function* encodeArray<Row>(chunks: AsyncIterable<readonly Row[]>, write: Write<Row>) {
  let opened = false;
  for await (const rows of chunks) {
    out.clear();
    out.addText(opened ? ',' : '[');
    addRows(rows, write);
    yield out.toBuffer();
    opened = true;
  }
  yield Buffer.from(opened ? ']' : '[]');
}

function addRows<Row>(rows: readonly Row[], write: Write<Row>): void {
  for (const [index, row] of rows.entries()) {
    if (index > 0) out.addText(',');
    write(row, out);
  }
}
