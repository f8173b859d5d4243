// Which operation a request asks for, by its parameters: refusals of those that name none (GraphQL over HTTP §6.1).
import { type DocumentNode, GraphQLError, getOperationAST, Kind } from 'graphql';

/** So many operations of a document are named in a refusal. */
const MAX_NAMES = 10;
const MAX_NAME_CHARS = 128;

/**
 * @param operationName as the client sent it: any JSON
 * @throws GraphQLError when it is no name, when the document has no operation of that name, or several and no name is given
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

/** The error that Apollo Server has for it, with the parameter to blame. */
function refusal(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', field: 'operationName', http: { status: 400 } },
  });
}
