// The OpenAPI document as the reference shows it: requests go to this page's host, with the credentials of the top bar, and each operation
// links to the same operation over GraphQL.
import { toLink } from '../operation-link.ts';

export interface Operation {
  description?: string;
  readonly operationId?: string;
  security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly 'x-graphql'?: { readonly field: string; readonly operation: string; readonly variables?: object };
}

/** Something that may be described elsewhere in the document. */
interface Reference {
  readonly $ref?: string;
}
interface Parameter extends Reference {
  readonly name: string;
}
interface Body extends Reference {
  readonly content?: Record<string, { readonly schema?: Schema }>;
}
export interface Schema extends Reference {
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Document {
  servers: object[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { securitySchemes: Record<string, object> };
}

let loaded: Document | undefined;

/** Loads the document that the gateway serves. */
export async function loadDocument(): Promise<object> {
  const response = await fetch('/api/v2/openapi.json');
  const document = (await response.json()) as Document;
  loaded = document;
  // The page's policy allows requests to its own host only.
  document.servers = [{ url: location.origin, description: 'This gateway.' }];
  const { bearer } = document.components.securitySchemes;
  if (bearer !== undefined) document.components.securitySchemes = { bearer };
  for (const operations of Object.values(document.paths))
    for (const operation of Object.values(operations)) {
      operation.security = operation.security.filter((scheme) => 'bearer' in scheme);
      linkToGraphql(operation);
    }
  return document;
}

/** An operation of the loaded document. */
export function findOperation(path: string, method: string): Operation | undefined {
  return loaded?.paths[path]?.[method];
}

/** What a reference leads to; anything else is returned unchanged. */
export function resolveReference<T extends Reference>(value: T): T {
  if (value.$ref === undefined) return value;
  const names = value.$ref.split('/').slice(1);
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], loaded) as T;
}

function linkToGraphql(operation: Operation): void {
  const same = operation['x-graphql'];
  if (same === undefined) return;
  const { field, operation: query, variables } = same;
  const link = toLink('/graphql', {
    query,
    variables: variables === undefined ? '' : JSON.stringify(variables),
    operationName: '',
  });
  operation.description = `${operation.description ?? ''}\n\nOver GraphQL: [\`${field}\`](${link})`;
}
