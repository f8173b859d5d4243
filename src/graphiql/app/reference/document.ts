// The OpenAPI document as the reference shows it: requests go to this page's host, with the credentials of the top bar, and each operation
// links to the same operation over GraphQL.
import { toLink } from '../operation-link.ts';

interface Operation {
  description?: string;
  security: readonly object[];
  readonly 'x-graphql'?: { readonly field: string; readonly operation: string; readonly variables?: object };
}

interface Document {
  servers: object[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { securitySchemes: Record<string, object> };
}

/** Loads the document that the gateway serves. */
export async function loadDocument(): Promise<object> {
  const response = await fetch('/api/v2/openapi.json');
  const document = (await response.json()) as Document;
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
