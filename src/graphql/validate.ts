// Validates a document against the schema, with a bounded number of errors and in bounded time.
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
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
  return new GraphQLError(
    'The document selects fields of the same name, or spreads fragments, more often than can be compared. Select each once.',
  );
}
