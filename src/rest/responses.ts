// Responses with one object or without a body, and helpers that lists use too.
import type { Reply } from '../messages/reply.ts';
import type { Resource, Row } from '../resources/resource.ts';
import { ByteWriter } from '../rows/byte-writer.ts';
import { type Writer, writerOf } from '../rows/resource-writer.ts';
import { expansionOf } from './expansion.ts';
import type { Expansion, Header, ResponseForm } from './route.ts';
import { resourceSchema, type Schema, schemaRef } from './schemas.ts';

/** Shared by all responses: each is written synchronously. */
export const out = new ByteWriter();

export const JSON_HEADERS = { 'Content-Type': 'application/json' } as const;

/** The schema of a result, and how it is written. */
export interface Shown<Result> {
  readonly schema: Schema;
  /** As in ResponseForm. */
  components(): Readonly<Record<string, Schema>>;
  readonly write: Writer<Result>;
  /** As in ResponseForm. */
  readonly expansion?: Expansion | undefined;
}

/** The writer of objects for a request. @throws AppError as `Expansion.writerFor` does */
export function writerFor<Result>({ write, expansion }: Shown<Result>, url: URL): Writer<Result> {
  return (expansion?.writerFor(url.searchParams) as Writer<Result> | undefined) ?? write;
}

/** Objects of a noun. */
export function shown<R extends Resource>(resource: R): Shown<Row<R>> {
  const { type } = resource;
  return {
    schema: schemaRef(type),
    components: () => ({ [type]: resourceSchema(resource) }),
    write: writerOf(resource),
    expansion: expansionOf(resource),
  };
}

/** What a response says of the objects in it. */
export function formOf({ schema, components, expansion }: Shown<never>) {
  return { schema, components, expansion };
}

/** One object. */
export function objectOf<Result>(shown: Shown<Result>, description: string): ResponseForm<Result> {
  return {
    answers: { 200: description },
    ...formOf(shown),
    reply: (result, url) => objectReply(200, result, writerFor(shown, url)),
  };
}

const LOCATION: Header = {
  name: 'Location',
  description: 'The URL of the created object; only with 201.',
  schema: { type: 'string' },
};

/** An object that was created. @param path the path of the noun's members, up to the id, such as `/api/v2/contacts/` */
export function createdOf<Result extends { readonly id: bigint }>(
  shown: Shown<Result>,
  path: string,
  description: string,
): ResponseForm<Result> {
  return {
    answers: { 201: description },
    headers: [LOCATION],
    ...formOf(shown),
    reply: (result, url) => objectReply(201, result, writerFor(shown, url), locationOf(url, path, result)),
  };
}

/** An object that was created, or that existed already. */
export function createdOrChangedOf<Result extends { readonly id: bigint }>(
  shown: Shown<Result>,
  path: string,
  answers: Readonly<Record<200 | 201, string>>,
): ResponseForm<{ readonly row: Result; readonly isNew: boolean }> {
  return {
    answers,
    headers: [LOCATION],
    ...formOf(shown),
    reply: ({ row, isNew }, url) =>
      isNew
        ? objectReply(201, row, writerFor(shown, url), locationOf(url, path, row))
        : objectReply(200, row, writerFor(shown, url)),
  };
}

function locationOf({ origin }: URL, path: string, { id }: { readonly id: bigint }): Reply['headers'] {
  return { ...JSON_HEADERS, Location: `${origin}${path}${id}` };
}

function objectReply<Result>(
  status: number,
  result: Result,
  write: Writer<Result>,
  headers: Reply['headers'] = JSON_HEADERS,
): Reply {
  out.clear();
  write(result, out);
  return { status, headers, body: out.toBuffer() };
}

/** A response with a secret: it must not be cached, nor compressed, since the compressed length can reveal secrets (BREACH). */
export function secret<Result>(form: ResponseForm<Result>): ResponseForm<Result> {
  return {
    ...form,
    reply(result, url) {
      const { headers, ...reply } = form.reply(result, url);
      return { ...reply, headers: { ...headers, 'Cache-Control': 'no-store, no-transform' } };
    },
  };
}

/** A response without a body. */
export function nothing(description: string): ResponseForm<void> {
  return {
    answers: { 204: description },
    schema: null,
    reply: () => ({ status: 204, headers: {}, body: null }),
  };
}
