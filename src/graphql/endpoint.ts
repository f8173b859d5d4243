// The name of an operation in metrics. It comes from the root fields that the operation selects, never from the client's operation name,
// so that the number of names is bounded.
import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { Endpoint } from '../telemetry/request-facts.ts';
import { rootFieldsOf } from './fragments.ts';

const ROUTE = '/graphql';
const ROOT_TYPES = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** The name of an invalid operation, and of any operation before it is parsed. */
export const UNKNOWN_OPERATION: Endpoint = { route: ROUTE, operation: 'unknown' };

/**
 * `Query.workspace` for a valid operation with this one root field, `Query.introspection` for introspection only, `Query.several` for
 * several root fields.
 */
export function endpointOf(document: DocumentNode, operation: OperationDefinitionNode): Endpoint {
  const names = rootFieldsOf(document, operation).map(({ name }) => name.value);
  const [field = 'introspection', ...others] = new Set(names.filter((name) => !name.startsWith('__')));
  const type = ROOT_TYPES[operation.operation];
  return { route: ROUTE, operation: `${type}.${others.length > 0 ? 'several' : field}` };
}
