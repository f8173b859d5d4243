// Responses with one object or without a body. Lists use the forms of objects too, with the fields that a request expands by `expand[]`.
import { LRUCache } from 'lru-cache';
import { invalid, mustBeOneOf } from '../errors.ts';
import type { Reply } from '../messages/reply.ts';
import type { RowOf } from '../resources/description/fields.ts';
import { isExpandable } from '../resources/description/fields.ts';
import { expandableNames, restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { ByteWriter } from '../rows/byte-writer.ts';
import { type Writer, writerOf } from '../rows/resource-writer.ts';
import type { ChangeAnswer } from '../services/changing/mutate.ts';
import type { Expansion, Header, OutputRequest, Parameter, ResponseForm } from './route.ts';
import { resourceSchema, type Schema, schemaRef } from './schemas.ts';

/** Shared by all responses: each is written synchronously. */
export const outputParameter = new ByteWriter();

export const JSON_HEADERS = { 'Content-Type': 'application/json' } as const;

/** The schema of a result, and how it is written. */
export interface OutputForm<Result> {
  readonly schema: Schema;
  /** As in ResponseForm. */
  components(): Readonly<Record<string, Schema>>;
  readonly write: Writer<Result>;
  /** As in ResponseForm. */
  readonly expansion?: Expansion | undefined;
  /** The same for the answers to changes. */
  readonly expansionOfChanges?: Expansion | undefined;
}

const NAMES = ['expand[]', 'expand'];

/**
 * The names of the fields that a request expands.
 * @param taken the allowed names
 * @param always names without effect, because their fields are always included
 * @throws AppError `invalid` for any other name
 */
export function parseExpansions(
  query: URLSearchParams,
  taken: readonly string[],
  always: readonly string[] = [],
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const parameter of NAMES)
    for (const name of query.getAll(parameter)) {
      if (always.includes(name)) continue;
      if (!taken.includes(name)) throw invalid(parameter, mustBeOneOf(`${taken.join(' or ')}`));
      names.add(name);
    }
  return names;
}

/** The parameter `expand[]`. @param taken the allowed names */
export const expandParameter = (taken: readonly string[], description: string): Parameter => ({
  name: 'expand[]',
  description,
  schema: { type: 'array', items: { type: 'string', enum: [...taken] } },
});

/** For how many sets of names a noun caches a writer. A writer takes a few kilobytes. */
const MAX_WRITERS = 32;

/** The fields of an object, and the name of its schema. */
type Described = Pick<Resource, 'type' | 'description' | 'fields'>;

/** The expansion of a noun; undefined if no field can be expanded. @param taken the allowed names */
function expansionOf(resource: Described, taken: readonly string[]): Expansion | undefined {
  if (taken.length === 0) return undefined;
  const always = Object.entries(resource.fields)
    .filter(([, { expand }]) => expand === 'always')
    .map(([property, field]) => restNameOf(property, field));
  /** By the requested names, in the order of the description. Clients choose the names, so the cache is bounded. */
  const forms = new LRUCache<string, OutputRequest>({ max: MAX_WRITERS });
  return {
    parameters: [
      expandParameter(
        taken,
        `Further fields to include, each in its own parameter: ${taken.map((name) => `\`${name}\``).join(', ')}.`,
      ),
    ],
    askedBy(query) {
      const expandedNames = parseExpansions(query, taken, always);
      const names = taken.filter((name) => expandedNames.has(name));
      const key = names.join();
      const form = forms.get(key) ?? {
        write: writerOf(resource, names),
        projection: projectionOf(resource, names),
      };
      forms.set(key, form);
      return form;
    },
  };
}

/** All properties except stored fields that are not expanded, which may be long; null for all. */
function projectionOf({ fields }: Described, expandedNames: readonly string[]): readonly string[] | null {
  const all = Object.entries(fields);
  const read = all.filter(
    ([property, field]) =>
      !isExpandable(field) || field.type === 'json' || expandedNames.includes(restNameOf(property, field)),
  );
  return read.length === all.length ? null : read.map(([property]) => property);
}

/** The output form of a noun, or of other described objects. */
export function outputOf<R extends Described>(resource: R): OutputForm<RowOf<R['fields']>> {
  const { type, fields } = resource;
  const recorded = Object.entries(fields).filter(([, { expand }]) => expand !== 'reads');
  return {
    schema: schemaRef(type),
    components: () => ({ [type]: resourceSchema(resource) }),
    write: writerOf(resource),
    expansion: expansionOf(resource, expandableNames(resource)),
    expansionOfChanges: expansionOf(resource, expandableNames({ fields: Object.fromEntries(recorded) })),
  };
}

/** The form of objects in answers to changes, without the fields that only reads include. */
function formOfChanges<Result>(shown: OutputForm<Result>): OutputForm<Result> {
  return { ...shown, expansion: shown.expansionOfChanges };
}

/** The part of a response form that concerns its objects. */
export function formOf({ schema, components, expansion }: OutputForm<never>) {
  return { schema, components, expansion };
}

/** One object. */
export function objectOf<Result extends object>(
  shown: OutputForm<Result>,
  description: string,
): ResponseForm<Result> {
  return {
    answers: { 200: description },
    ...formOf(shown),
    reply: (result, { write }) => objectReply(result, write ?? shown.write),
  };
}

/** The object that was changed. */
export function changedOf<Row extends object>(
  shown: OutputForm<Row>,
  description: string,
): ResponseForm<{ readonly row: Row }> {
  const form = objectOf(formOfChanges(shown), description);
  return { ...form, reply: ({ row }, request) => form.reply(row, request) };
}

const LOCATION: Header = {
  name: 'Location',
  description: 'The URL of the created object; only with 201.',
  schema: { type: 'string' },
};

/** The result of a creation: a new object, or an existing one. */
interface Created<Row> extends Pick<ChangeAnswer<unknown, 'created' | 'updated' | 'unchanged'>, 'outcome'> {
  readonly row: Row;
}

/**
 * An object that was created.
 * @param path the path of the noun's members, up to the id, such as `/api/v2/contacts/`
 * @param answers the descriptions of status 201 and, if the object may exist already, of status 200
 */
export function createdOf<Row extends { readonly id: bigint }>(
  shown: OutputForm<Row>,
  path: string,
  answers: { readonly 201: string; readonly 200?: string },
): ResponseForm<Created<Row>> {
  const changed = formOfChanges(shown);
  return {
    answers,
    headers: [LOCATION],
    ...formOf(changed),
    reply({ row, outcome }, { url, write }) {
      const { status, headers, ...reply } = objectReply(row, write ?? changed.write);
      if (outcome !== 'created') return { status, headers, ...reply };
      return { ...reply, status: 201, headers: { ...headers, Location: `${url.origin}${path}${row.id}` } };
    },
  };
}

/** An object that was created below the path of the request. */
export function createdBelow<Row extends { readonly id: bigint }>(
  shown: OutputForm<Row>,
  description: string,
): ResponseForm<Row> {
  return {
    answers: { 201: description },
    headers: [LOCATION],
    ...formOf(shown),
    reply(row, { url, write }) {
      const { headers, ...reply } = objectReply(row, write ?? shown.write);
      const location = `${url.origin}${url.pathname.replace(/\/$/, '')}/${row.id}`;
      return { ...reply, status: 201, headers: { ...headers, Location: location } };
    },
  };
}

/** The response with one object. */
export function objectReply<Result>(result: Result, write: Writer<Result>): Reply {
  outputParameter.clear();
  write(result, outputParameter);
  return { status: 200, headers: JSON_HEADERS, body: outputParameter.toBuffer() };
}

/** A response with a secret: it must not be cached, nor compressed, since the compressed length can reveal secrets (BREACH). */
export function uncached<Result>(form: ResponseForm<Result>): ResponseForm<Result> {
  return {
    ...form,
    reply(result, request) {
      const { headers, ...reply } = form.reply(result, request);
      return { ...reply, headers: { ...headers, 'Cache-Control': 'no-store, no-transform' } };
    },
  };
}

/** A response without a body. */
export function emptyResponse(description: string): ResponseForm<unknown> {
  return {
    answers: { 204: description },
    schema: null,
    reply: () => ({ status: 204, headers: {}, body: null }),
  };
}
