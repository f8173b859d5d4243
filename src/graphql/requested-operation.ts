// Refuses a request whose parameters do not identify one operation of the document (GraphQL over HTTP §6.1).
import { type DocumentNode, GraphQLError, getOperationAST, Kind } from 'graphql';

/** How many operations of the document an error message lists. */
const MAX_NAMES = 10;
const MAX_NAME_CHARS = 128;

/**
 * @param operationName as the client sent it: any JSON value
 * @throws GraphQLError for a name that is not a string or not in the document, and for a missing name when the document has several
 */
export function requireOperation(document: DocumentNode, operationName: unknown): void {
  if (operationName != null && typeof operationName !== 'string')
    throw refusal('operationName must be a string.');
  if (getOperationAST(document, operationName) != null) return;
  const names = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ name }) => name?.value ?? 'one without a name');
  const listed = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
  if (names.length === 0) throw refusal('The document has no operation, only definitions for one.');
  if (operationName == null)
    throw refusal(`The document has several operations: name one of them in operationName: ${listed}.`);
  const name = JSON.stringify(operationName.slice(0, MAX_NAME_CHARS));
  throw refusal(`The document has no operation named ${name}. It has: ${listed}.`);
}

/** The same error code as Apollo Server's, with the name of the parameter. */
function refusal(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', field: 'operationName', http: { status: 400 } },
  });
}
