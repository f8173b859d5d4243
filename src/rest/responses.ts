// The forms of answers without a page: one object, or nothing; and what lists share with them.
import type { Resource, Row } from '../resources/resource.ts';
import { ByteWriter } from '../rows/byte-writer.ts';
import { type Writer, writerOf } from '../rows/resource-writer.ts';
import type { ResponseForm } from './route.ts';
import { resourceSchema, type Schema, schemaRef } from './schemas.ts';

/** Each answer is put together in one go. */
export const out = new ByteWriter();

export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } as const;

/** What is shown, and how it is written. */
export interface Shown<Result> {
  readonly schema: Schema;
  /** As in ResponseForm. */
  components(): Readonly<Record<string, Schema>>;
  readonly write: Writer<Result>;
}

/** Objects of a noun. */
export function shown<R extends Resource>(resource: R): Shown<Row<R>> {
  const { type } = resource;
  return {
    schema: schemaRef(type),
    components: () => ({ [type]: resourceSchema(resource) }),
    write: writerOf(resource),
  };
}

/** One object. */
export function objectOf<Result>(
  { schema, components, write }: Shown<Result>,
  description: string,
): ResponseForm<Result> {
  return {
    status: 200,
    description,
    schema,
    components,
    reply(result) {
      out.clear();
      write(result, out);
      return { status: 200, headers: JSON_HEADERS, body: out.toBuffer() };
    },
  };
}

/** An answer without a body. */
export function nothing(description: string): ResponseForm<void> {
  return { status: 204, description, schema: null, reply: () => ({ status: 204, headers: {}, body: null }) };
}
