// Lists as responses over REST: a bare array; a page has headers that link to the next page (spec §4 rules 3-4).
import { textOfSortValue } from '../cursors.ts';
import { invalid } from '../errors.ts';
import type { Reply } from '../messages/reply.ts';
import type { Page } from '../pagination.ts';
import type { Sort, SortValue } from '../resources/description/sorts.ts';
import type { Writer } from '../rows/resource-writer.ts';
import { AFTER_VALUES, afterValueName } from './page-query.ts';
import { formOf, JSON_HEADERS, type OutputForm, outputParameter } from './responses.ts';
import type { Header, ResponseForm } from './route.ts';

const PAGE_HEADERS: readonly Header[] = [
  {
    name: 'Pagination-Next',
    description: 'The id of the last object of the page. Absent on an empty page.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  {
    name: 'Link',
    description:
      'The URL of the next page, with `rel="next"`. In a list that is not ordered by id it also contains the value of the last object, such as `after_updated_at`. Absent on an empty page.',
    schema: { type: 'string' },
  },
];

/** A page of a list. */
export function pageOf<Result>(objects: OutputForm<Result>): ResponseForm<Page<Result & { id: bigint }>> {
  return {
    answers: { 200: 'The objects of the page, in order.' },
    headers: PAGE_HEADERS,
    ...formOf(objects),
    schema: { type: 'array', items: objects.schema },
    reply: (page, { url, write, maxBytes }) => pageReply(page, write ?? objects.write, url, maxBytes),
  };
}

/** A complete list without pages, for nouns with few objects. */
export function arrayOf<Result>(
  { schema, components, write }: OutputForm<Result>,
  description: string,
): ResponseForm<readonly Result[]> {
  return {
    answers: { 200: description },
    schema: { type: 'array', items: schema },
    components,
    reply: (results) => ({ status: 200, headers: JSON_HEADERS, body: arrayBody(results, write) }),
  };
}

/** A page of a list, or, when the rows come in chunks, the complete list as an array without pagination headers (spec §4 rule 7). */
export function pageOrAllOf<Result>(
  objects: OutputForm<Result>,
): ResponseForm<Page<Result & { id: bigint }> | AsyncIterable<readonly Result[]>> {
  const page = pageOf(objects);
  return {
    ...page,
    reply: (result, request) =>
      Symbol.asyncIterator in result ? allReply(result, objects.write) : page.reply(result, request),
  };
}

/**
 * The array and, unless it is empty, `Pagination-Next` and `Link`. The last page has them too, so that a client can store the id as its
 * checkpoint.
 */
function pageReply<R extends { id: bigint }>(
  page: Page<R>,
  write: Writer<R>,
  url: URL,
  maxBytes: number,
): Reply {
  const body = arrayBody(page.rows, write, maxBytes);
  const last = page.rows.at(-1);
  if (last === undefined) return { status: 200, headers: JSON_HEADERS, body };
  const link = `<${withAfter(url, last, page.sort)}>; rel="next"`;
  return { status: 200, headers: { ...JSON_HEADERS, 'Pagination-Next': String(last.id), Link: link }, body };
}

/**
 * The URL with `after` replaced or added, and every other parameter as the client sent it.
 * @param last the object `after`, with the property by which the list is ordered
 */
export function withAfter(url: URL, last: { readonly id: bigint }, sort: Sort = 'id'): string {
  const replaced = sort === 'id' ? ['after'] : ['after', ...AFTER_VALUES];
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !replaced.includes(nameOf(pair)));
  const added = [`after=${last.id}`, ...(sort === 'id' ? [] : afterValue(last, sort))];
  return `${url.origin}${url.pathname}?${[...kept, ...added].join('&')}`;
}

function afterValue(row: object, sort: Exclude<Sort, 'id'>): string[] {
  const value = (row as { readonly [Property in typeof sort]?: SortValue })[sort];
  const text = textOfSortValue(value ?? null);
  return [`${afterValueName(sort)}=${encodeURIComponent(text).replaceAll('%3A', ':')}`];
}

function nameOf(pair: string): string {
  // URLSearchParams drops a leading "?"; the "&" prevents that.
  const [name = ''] = new URLSearchParams(`&${pair}`).keys();
  return name;
}

function allReply<R>(chunks: AsyncIterable<readonly R[]>, write: Writer<R>): Reply {
  const headers = { ...JSON_HEADERS, 'Cache-Control': 'no-store' };
  return { status: 200, headers, body: ReadableStream.from(encodeArray(chunks, write)) };
}

async function* encodeArray<R>(chunks: AsyncIterable<readonly R[]>, write: Writer<R>) {
  let opened = false;
  for await (const rows of chunks) {
    outputParameter.clear();
    outputParameter.addText(opened ? ',' : '[');
    addRows(rows, write);
    yield outputParameter.toBuffer();
    opened = true;
  }
  yield Buffer.from(opened ? ']' : '[]');
}

/** The body of a page. @throws AppError `invalid` when it is larger than allowed; a single object is always allowed */
function arrayBody<R>(
  rows: readonly R[],
  write: Writer<R>,
  maxBytes = Number.POSITIVE_INFINITY,
): ReturnType<typeof outputParameter.toBuffer> {
  outputParameter.clear();
  outputParameter.addText('[');
  addRows(rows, write, maxBytes);
  outputParameter.addText(']');
  return outputParameter.toBuffer();
}

const COMMA = 0x2c;

function addRows<R>(rows: readonly R[], write: Writer<R>, maxBytes = Number.POSITIVE_INFINITY): void {
  for (let index = 0; index < rows.length; index++) {
    if (index > 0) outputParameter.addByte(COMMA);
    write(rows[index] as R, outputParameter);
    if (index > 0 && outputParameter.length > maxBytes)
      throw invalid('per_page', {
        code: 'too_many',
        message: `The page is larger than ${maxBytes} bytes. Ask for fewer objects with per_page, or for fewer fields with expand[].`,
      });
  }
}
