// The routes of the one object of a workspace, which REST finds by the workspace.
import type { Resource } from '../resources/description/resource.ts';
import type { Single } from '../services/changing/singles.ts';
import { bodyOf } from './body.ts';
import { changedOf, type OutputForm, objectOf, outputOf } from './responses.ts';
import { putAndPatch, type Route, route } from './route.ts';

/**
 * @param path below the workspace
 * @param name in the ids of operations
 * @param isOurs whether the public API cannot change the object
 */
export function singleRoutes<Row extends { readonly id: bigint }>(
  resource: Resource,
  { scope, writeScope, getOf, updateOf }: Single<Row>,
  below: string,
  { name, isOurs }: { readonly name: string; readonly isOurs?: true },
): readonly Route[] {
  const path = `/api/v2/workspaces/:workspace_id/${below}` as const;
  const objects = outputOf(resource) as OutputForm<object> as OutputForm<Row>;
  const one = resource.title.charAt(0).toLowerCase() + resource.title.slice(1);
  return [
    route({
      method: 'GET',
      path,
      operationId: `get${name}`,
      summary: `Gets the ${one} of a workspace`,
      resource,
      scope,
      response: objectOf(objects, `The ${one}.`),
      handle: ({ ctx, params }) => getOf(ctx, params.workspace_id),
    }),
    ...putAndPatch({
      path,
      operationId: `update${name}`,
      summary: `Changes the ${one} of a workspace`,
      resource,
      scope: writeScope,
      gatewayOnly: isOurs,
      body: bodyOf(resource, 'change'),
      response: changedOf(objects, `The ${one} after the change.`),
      handle: ({ ctx, params, body, options }) => updateOf(ctx, params.workspace_id, body, options),
    }),
  ];
}
