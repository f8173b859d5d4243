// Makes the standard routes of a noun from its description and its service: the list below its parent, and its members. A noun that
// clients cannot change has only routes that read.
import type { PageRequest } from '../pagination.ts';
import { orderFields } from '../resources/description/common-fields.ts';
import type { Fields } from '../resources/description/fields.ts';
import { momentOfAction } from '../resources/description/inputs.ts';
import { ownNameOf, pluralOf, restNameOf, toSnakeCase, withArticle } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { writerOf } from '../rows/resource-writer.ts';
import type { Input } from '../services/input/parse-fields.ts';
import type { Reads } from '../services/reading/reads.ts';
import type { Act, Service } from '../services/service.ts';
import { bodyOf, refuseInQuery } from './body.ts';
import { listQuery, withoutFilters, withoutSearch } from './list-queries.ts';
import { pageOf } from './lists.ts';
import { changedOf, createdOf, emptyResponse, type OutputForm, objectOf, outputOf } from './responses.ts';
import { putAndPatch, type Query, type Route, route } from './route.ts';

type Row = { readonly id: bigint };

/** Deviations of one noun from the standard routes. */
export interface OwnRoutes {
  /** Additional routes. One with the same method and path replaces the standard route. */
  readonly routes?: readonly Route[];
  /** The query of the list below its parent, if it takes more than other lists. */
  readonly query?: Query<PageRequest>;
  /** The noun with the fields of its lists, if those are fewer. */
  readonly listed?: Resource;
  /** The response for a new object, if it has more fields than others. */
  readonly created?: ReturnType<typeof createdOf<Row>>;
  /** The description of status 200 for the creation of an object that exists already. Absent: such a creation is refused. */
  readonly unchanged?: string;
}

/** The routes of a noun. */
export function nounRoutes(service: Service, own: OwnRoutes = {}): readonly Route[] {
  const { routes = [] } = own;
  const isSame = (one: Route) => (other: Route) => other.method === one.method && other.path === one.path;
  const generic = genericRoutes(service, own);
  return [
    ...generic.map((route) => routes.find(isSame(route)) ?? route),
    ...routes.filter((route) => !generic.some(isSame(route))),
  ];
}

/** The input of an action that has no fields. */
const NOTHING: Input = { members: {}, nameOf: restNameOf };

/** The path of a noun's members, up to the id. */
function membersPath({ path, members = path }: Pick<Resource, 'path' | 'members'>): string {
  return `/api/v2/${members}/`;
}

/** A path below one object of a noun, and the id of that object in the parameters of a request. */
function placeUnder(noun: Resource, below: string) {
  const parameter = `${ownNameOf(noun)}_id`;
  return {
    path: `${membersPath(noun)}:${parameter}/${below}`,
    refOf: (params: Readonly<Record<string, string>>) => params[parameter] ?? '',
  };
}

function genericRoutes(service: Service, own: OwnRoutes): readonly Route[] {
  const { noun: resource, reads, lists } = service;
  const { writeScope, create, update, archive, unarchive, remove, reorder } = service;
  const { type, title, path, parent, actions = {}, gatewayOnly = [] }: Resource = resource;
  if (path === undefined || reads === null) return [];
  const { scope, get, list } = reads;
  const { listed = resource, query: queried = listQuery(resource) } = own;
  const objects = outputOf(resource) as OutputForm<object> as OutputForm<Row>;
  const one = title.toLowerCase();
  /** @param name that of a read, a verb or an action */
  const originOf = (name: string): Pick<Route, 'gatewayOnly'> => ({
    gatewayOnly: gatewayOnly === true || gatewayOnly.includes(name) || undefined,
  });
  const memberPath = `${membersPath(resource) as '/api/v2/'}:id` as const;
  const listRoute = (
    under: Resource,
    below: string,
    of: string,
    query: Query<PageRequest>,
    read: Reads<Row>['list'],
    origin: Pick<Route, 'gatewayOnly'> = {},
  ) => {
    const { path, refOf } = placeUnder(under, below);
    return route({
      method: 'GET',
      path,
      operationId: `list${pluralOf(type)}${of}`,
      summary: `Lists the ${pluralOf(one)} of ${withArticle(under.title.toLowerCase())}`,
      kind: 'list',
      resource,
      scope,
      ...origin,
      query,
      response: pageOf(outputOf(listed) as OutputForm<object> as OutputForm<Row>),
      handle: ({ ctx, params, query, projection }) => read(ctx, refOf(params), query, projection),
    });
  };
  const otherLists = lists.flatMap(({ of: { under, path: below, indexes }, list: listUnder }) => {
    const queried = indexes === undefined ? withoutFilters(resource) : withoutSearch(resource);
    return below === undefined
      ? []
      : listRoute(under, below, `Of${under.type}`, listQuery(queried), listUnder);
  });
  const reading = [
    ...otherLists,
    ...(parent === undefined ? [] : [listRoute(parent, path, '', queried, list, originOf('list'))]),
    route({
      method: 'GET',
      path: memberPath,
      operationId: `get${type}`,
      summary: `Gets ${withArticle(one)}`,
      kind: 'get',
      resource,
      scope,
      ...originOf('get'),
      response: objectOf(objects, `The ${one}.`),
      handle: ({ ctx, params, projection }) => get(ctx, params.id, projection),
    }),
  ];
  if (writeScope === undefined) return reading;
  const changing = { resource, scope: writeScope };
  const changed = changedOf(objects, `The ${one} after the change.`);
  const creation = createdOf(objects, membersPath(resource), {
    ...(own.unchanged !== undefined && { 200: own.unchanged }),
    201: `The created ${one}.`,
  });
  const action = (name: string, summary: string, act: Act<Row>, fields?: Fields, isClosed?: true) =>
    route({
      ...changing,
      ...originOf(name),
      ...((name === 'archive' || name === 'unarchive') && { kind: name }),
      method: 'POST',
      path: `${memberPath}/${toSnakeCase(name)}`,
      operationId: `${name}${type}`,
      summary,
      ...(isClosed && fields && { query: refuseInQuery(fields) }),
      ...(fields && {
        body: bodyOf(
          resource,
          momentOfAction(fields),
          fields,
          `${type}${name[0]?.toUpperCase()}${name.slice(1)}`,
          isClosed,
        ),
      }),
      response: changed,
      handle: ({ ctx, params, body = NOTHING, options }) => act(ctx, params.id, body, options),
    });
  const place = parent && placeUnder(parent, path);
  const changes = [
    create &&
      parent &&
      place &&
      route({
        ...changing,
        ...originOf('create'),
        method: 'POST',
        path: place.path,
        operationId: `create${type}`,
        summary: `Creates ${withArticle(one)}`,
        kind: 'create',
        body: bodyOf(resource, 'creation'),
        response: own.created ?? creation,
        handle: ({ ctx, params, body, options }) => create(ctx, place.refOf(params), body, options),
      }),
    reorder &&
      parent &&
      place &&
      route({
        ...changing,
        ...originOf('reorder'),
        method: 'POST',
        path: `${place.path}/reorder`,
        operationId: `reorder${pluralOf(type)}`,
        summary: `Reorders the ${pluralOf(one)} of ${withArticle(parent.title.toLowerCase())}`,
        kind: 'reorder',
        body: bodyOf(resource, 'creation', orderFields(resource), `${type}Order`),
        response: emptyResponse(`The ${pluralOf(one)} have the new order.`),
        // A reordering changes the parent.
        representation: writerOf(parent),
        handle: ({ ctx, params, body, options }) => reorder(ctx, place.refOf(params), body, options),
      }),
    ...(update === undefined
      ? []
      : putAndPatch({
          ...changing,
          ...originOf('update'),
          path: memberPath,
          operationId: `update${type}`,
          summary: `Updates ${withArticle(one)}`,
          kind: 'update',
          body: bodyOf(resource, 'change'),
          response: changed,
          handle: ({ ctx, params, body, options }) => update(ctx, params.id, body, options),
        })),
    archive &&
      action('archive', `Archives ${withArticle(one)}`, (ctx, ref, _input, options) =>
        archive(ctx, ref, options),
      ),
    unarchive &&
      action('unarchive', `Unarchives ${withArticle(one)}`, (ctx, ref, _input, options) =>
        unarchive(ctx, ref, options),
      ),
    ...Object.entries(service.actions).map(([name, act]) => {
      const { summary = name, fields, isClosed } = actions[name] ?? {};
      return action(name, summary, act, fields, isClosed);
    }),
    remove &&
      route({
        ...changing,
        ...originOf('remove'),
        method: 'DELETE',
        path: memberPath,
        operationId: `delete${type}`,
        summary: `Deletes ${withArticle(one)}`,
        kind: 'remove',
        response: emptyResponse(`The ${one} is deleted.`),
        handle: ({ ctx, params, options }) => remove(ctx, params.id, options),
      }),
  ];
  return [...reading, ...changes.filter((one) => one !== undefined)];
}
