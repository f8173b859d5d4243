// What an operation is called in metrics: by the root fields of the schema that it selects, never by a name of the client's.
import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Endpoint } from '../telemetry/request-facts.ts';

const ROUTE = '/graphql';
const ROOT_TYPES = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** Of a request whose operation is not known yet, or not valid. */
export const UNKNOWN_OPERATION: Endpoint = { route: ROUTE, operation: 'unknown' };

/**
 * `Query.workspace` for a valid operation with this one root field, `Query.introspection` for one without data, `Query.several` for
 * one with more fields: as many names as the schema has root fields, and a few.
 */
export function endpointOf(
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
): Endpoint {
  const fields = new Set<string>();
  const visited = new Set<string>();

  function visit({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (!selection.name.value.startsWith('__')) fields.add(selection.name.value);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.selectionSet);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragmentOf(document, selection.name.value);
        if (fragment !== undefined) visit(fragment);
      }
    }
  }

  visit(selectionSet);
  const [field = 'introspection', ...others] = fields;
  return { route: ROUTE, operation: `${ROOT_TYPES[operation]}.${others.length > 0 ? 'several' : field}` };
}

function fragmentOf(document: DocumentNode, name: string): SelectionSetNode | undefined {
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name)
      return definition.selectionSet;
  return undefined;
}
