// Validates a document against the schema, with a bounded number of errors and in bounded time. Refuses a request whose parameters do not
// identify one operation of the document (GraphQL over HTTP §6.1).
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';

/** Validation stops after this many errors: each has to be located and printed. */
const MAX_ERRORS = 20;

/** The message of graphql-js when comparing fields of the same name takes more steps than it allows. */
const ABORTED = 'Validation aborted.';

interface ValidationOptions {
  /** Whether a fragment spreads itself. Then only the rule against cycles may run: all others would recurse endlessly. */
  readonly hasCycle: boolean;
  readonly introspection: boolean;
  /** Whether error messages must not suggest names of the schema. */
  readonly hideSuggestions: boolean;
}

/** @returns the errors, none for a valid document */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  { hasCycle, introspection, hideSuggestions }: ValidationOptions,
): readonly GraphQLError[] {
  const all: readonly ValidationRule[] = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const rules = hasCycle ? [NoFragmentCyclesRule] : all;
  const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions });
  return errors.map((error) => (error.message === ABORTED ? tooManyRepetitions() : error));
}

function tooManyRepetitions(): GraphQLError {
  return new GraphQLError('The document selects the same fields or fragments too often. Select each once.');
}

/** How many operations of the document an error message lists. */
const MAX_NAMES = 10;
const MAX_NAME_CHARS = 128;

/**
 * @param operationName as the client sent it: any JSON value
 * @throws GraphQLError for a name that is not a string or not in the document, and for a missing name when the document has several
 */
export function requireOperation(document: DocumentNode, operationName: unknown): void {
  if (operationName != null && typeof operationName !== 'string')
    throw unidentified('operationName must be a string.');
  if (getOperationAST(document, operationName) != null) return;
  const names = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(({ name }) => name?.value ?? 'one without a name');
  const listed = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
  if (names.length === 0) throw unidentified('The document has no operation, only definitions for one.');
  if (operationName == null)
    throw unidentified(`The document has several operations: name one of them in operationName: ${listed}.`);
  const name = JSON.stringify(operationName.slice(0, MAX_NAME_CHARS));
  throw unidentified(`The document has no operation named ${name}. It has: ${listed}.`);
}

/** The same error code as Apollo Server's, with the name of the parameter. */
function unidentified(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', field: 'operationName', http: { status: 400 } },
  });
}
