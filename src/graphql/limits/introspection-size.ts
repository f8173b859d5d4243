// Limits the size of introspection answers. Computes the size by traversing the schema like the executor, without building the answer.
// The cost analysis does not cover introspection, which needs no credentials and reads no rows.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getIntrospectionQuery,
  getNamedType,
  getVariableValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { fragmentsOf } from '../fragments.ts';
import type { Variables } from './cost.ts';
import { QueryTooLarge } from './query-too-large.ts';

/** The limit, as a multiple of the answer to the full introspection query. */
const MAX_FULL_SIZES = 2;

/** The quotes, colon and comma of a JSON member. */
const PUNCTUATION_CHARS = 5;

/** The length of the answer to the full introspection query, in characters, by schema. */
const fullSizes = new WeakMap<GraphQLSchema, number>();

/**
 * The size of the introspection part of an operation's answer, in characters.
 * @throws QueryTooLarge when it would be more than MAX_FULL_SIZES times the answer to the full introspection query
 */
export function requireSmallIntrospection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const fullSize = fullSizes.get(schema) ?? computeFullSize(schema);
  fullSizes.set(schema, fullSize);
  return countChars(schema, document, operation, variables, MAX_FULL_SIZES * fullSize);
}

function computeFullSize(schema: GraphQLSchema): number {
  const document = parse(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  );
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('no introspection query');
  return countChars(schema, document, operation, {}, Number.POSITIVE_INFINITY);
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef];

/** Counts the fields `__schema` and `__type` of the root type, with their selections. @throws QueryTooLarge above `maxChars` */
function countChars(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
  maxChars: number,
): number {
  const fragments = fragmentsOf(document);
  let variables: ReturnType<typeof getVariableValues> | undefined;
  let chars = 0;

  function add(more: number): void {
    chars += more;
    if (chars > maxChars)
      throw new QueryTooLarge(
        'The operation asks for too much of the schema at once. Ask for less, or read /schema.graphql.',
        { limit: maxChars },
      );
  }

  function addObject(type: GraphQLObjectType, source: unknown, selection: SelectionSetNode): void {
    for (const node of fieldsOf(selection)) {
      const field = type.getFields()[node.name.value];
      if (field === undefined) add(node.name.value.length + type.name.length);
      else addField(node, field, source);
    }
  }

  function addField(node: FieldNode, field: typeof SchemaMetaFieldDef, source: unknown): void {
    add((node.alias ?? node.name).value.length + PUNCTUATION_CHARS);
    variables ??= getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 });
    // The executor refuses variables that cannot be coerced.
    if (variables.variableValues === undefined) return;
    const args = getArgumentValues(field, node, variables.variableValues);
    const value: unknown = field.resolve?.(source, args, undefined, { schema } as never);
    const type = getNamedType(field.type);
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item != null && isObjectType(type) && node.selectionSet) addObject(type, item, node.selectionSet);
      else add(String(item).length);
    }
  }

  /** The fields of a selection, including its fragments. Type conditions do not matter: the introspection types have no subtypes. */
  function* fieldsOf({ selections }: SelectionSetNode): Generator<FieldNode> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) yield selection;
      else {
        // Each spread counts, because nested fragments may expand into very many spreads without any field.
        add(1);
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment !== undefined) yield* fieldsOf(fragment.selectionSet);
      }
    }
  }

  for (const node of fieldsOf(selectionSet)) {
    const field = META_FIELDS.find(({ name }) => name === node.name.value);
    if (field !== undefined) addField(node, field, undefined);
  }
  return chars;
}
