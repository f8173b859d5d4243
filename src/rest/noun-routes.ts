// The routes that every noun has, made from its description and its service: its list below a parent, and its members. A noun
// whose service changes nothing has only those that read.
import { pluralOf, type Resource, withArticle } from '../resources/resource.ts';
import type { Done } from '../services/mutate.ts';
import type { Reads } from '../services/reads.ts';
import type { Writes } from '../services/writes.ts';
import { bodyOf } from './body.ts';
import { listQuery } from './list-queries.ts';
import { pageOf } from './lists.ts';
import { createdOf, createdOrChangedOf, nothing, objectOf, type Shown, shown } from './responses.ts';
import { putAndPatch, type ResponseForm, type Route, route } from './route.ts';

type Row = { readonly id: bigint };

interface Place {
  /** What the path calls the parent: `workspace`. */
  readonly parent: string;
  /** The path below the parent: `contacts/tags`. */
  readonly path: string;
  /** The path of its members, where that is another one. */
  readonly members?: string;
  /** What lists show of it, where that is less. */
  readonly listed?: Resource;
  /** The answer that shows a new one, where it shows more than others do. */
  readonly created?: ResponseForm<Row>;
  /** What is answered where there is what was to be created; absent: that is refused. */
  readonly unchanged?: string;
}

interface Changing extends Pick<Writes<Row>, 'writeScope' | 'remove'> {
  create(...args: Parameters<Writes<Row>['create']>): Promise<Done<Row, 'created' | 'updated' | 'unchanged'>>;
  /** Absent: it is never changed. */
  readonly update?: Writes<Row>['update'];
}

type Service = Pick<Reads<Row>, 'scope' | 'get' | 'list'> & Partial<Changing>;

/** The routes of a noun. */
export function nounRoutes(resource: Resource, service: Service, place: Place): readonly Route[] {
  const { parent, path, members = path, listed = resource } = place;
  const { type, title } = resource;
  const { scope, get, list, writeScope, create, update, remove } = service;
  const objects = shown(resource) as Shown<object> as Shown<Row>;
  const one = title.toLowerCase();
  const listPath: string = `/api/v2/${parent}s/:${parent}_id/${path}`;
  const memberPath = `/api/v2/${members}/:id` as const;
  const parentOf = (params: Readonly<Record<string, string>>) => params[`${parent}_id`] ?? '';
  const reading = [
    route({
      method: 'GET',
      path: listPath,
      operationId: `list${pluralOf(type)}`,
      summary: `Lists the ${pluralOf(one)} of a ${parent}`,
      resource,
      scope,
      query: listQuery(resource),
      response: pageOf(shown(listed) as Shown<object> as Shown<Row>),
      handle: ({ ctx, params, query }) => list(ctx, parentOf(params), query),
    }),
    route({
      method: 'GET',
      path: memberPath,
      operationId: `get${type}`,
      summary: `Gets ${withArticle(one)}`,
      resource,
      scope,
      response: objectOf(objects, `The ${one}.`),
      handle: ({ ctx, params }) => get(ctx, params.id),
    }),
  ];
  if (writeScope === undefined || create === undefined || remove === undefined) return reading;
  return [
    ...reading,
    route({
      method: 'POST',
      path: listPath,
      operationId: `create${type}`,
      summary: `Creates ${withArticle(one)}`,
      resource,
      scope: writeScope,
      body: bodyOf(resource, 'creation'),
      response: creationForm(objects, `/api/v2/${members}/`, `The ${one} that was created.`, place),
      async handle({ ctx, params, body, options }) {
        const { row, outcome } = await create(ctx, parentOf(params), body, options);
        return { row, isNew: outcome !== 'unchanged' };
      },
    }),
    ...(update === undefined
      ? []
      : putAndPatch({
          path: memberPath,
          operationId: `update${type}`,
          summary: `Changes ${withArticle(one)}`,
          resource,
          scope: writeScope,
          body: bodyOf(resource, 'change'),
          response: objectOf(objects, `The ${one} as it is now.`),
          handle: async ({ ctx, params, body, options }) => (await update(ctx, params.id, body, options)).row,
        })),
    route({
      method: 'DELETE',
      path: memberPath,
      operationId: `delete${type}`,
      summary: `Deletes ${withArticle(one)}`,
      resource,
      scope: writeScope,
      response: nothing(`The ${one} is deleted.`),
      async handle({ ctx, params, options }) {
        await remove(ctx, params.id, options);
      },
    }),
  ];
}

/** The answers to a creation. @param path that of the noun's members, up to the id */
function creationForm(
  objects: Shown<Row>,
  path: string,
  description: string,
  { created, unchanged }: Place,
): ResponseForm<{ readonly row: Row; readonly isNew: boolean }> {
  if (unchanged !== undefined) return createdOrChangedOf(objects, path, { 200: unchanged, 201: description });
  const form = created ?? createdOf(objects, path, description);
  return { ...form, reply: ({ row }, url) => form.reply(row, url) };
}
