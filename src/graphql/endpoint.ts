// What an operation is called in metrics: by the root fields of the schema that it selects, never by a name of the client's.
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { Endpoint } from '../telemetry/request-facts.ts';
import { rootFieldsOf } from './root-fields.ts';

const ROUTE = '/graphql';
const ROOT_TYPES = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** Of a request whose operation is not known yet, or not valid. */
export const UNKNOWN_OPERATION: Endpoint = { route: ROUTE, operation: 'unknown' };

/**
 * `Query.workspace` for a valid operation with this one root field, `Query.introspection` for one without data, `Query.several` for
 * one with more fields: as many names as the schema has root fields, and a few.
 */
export function endpointOf(document: DocumentNode, operation: OperationDefinitionNode): Endpoint {
  const names = rootFieldsOf(document, operation).map(({ name }) => name.value);
  const [field = 'introspection', ...others] = new Set(names.filter((name) => !name.startsWith('__')));
  const type = ROOT_TYPES[operation.operation];
  return { route: ROUTE, operation: `${type}.${others.length > 0 ? 'several' : field}` };
}
