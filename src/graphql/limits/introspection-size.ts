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
import { AppError } from '../../errors.ts';
import { fragmentsOf } from '../fragments.ts';
import type { Variables } from './cost.ts';

/** The limit, as a multiple of the answer to the full introspection query. */
const MAX_FULL_SIZES = 2;

/** The quotes, colon and comma of a JSON member. */
const PUNCTUATION_CHARS = 5;

/** The length of the answer to the full introspection query, in characters, by schema. */
const fullSizes = new WeakMap<GraphQLSchema, number>();

/**
 * The size of the introspection part of an operation's answer, in characters.
 * @throws AppError `invalid` when it would be more than MAX_FULL_SIZES times the answer to the full introspection query
 */
export function requireSmallIntrospection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const fullSize = fullSizes.get(schema) ?? computeFullSize(schema);
  fullSizes.set(schema, fullSize);
  const counter = new SizeCounter(schema, document, operation, variables, MAX_FULL_SIZES * fullSize);
  counter.addRoot(operation.selectionSet);
  return counter.chars;
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
  const counter = new SizeCounter(schema, document, operation, {}, Number.POSITIVE_INFINITY);
  counter.addRoot(operation.selectionSet);
  return counter.chars;
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef];

class SizeCounter {
  chars = 0;
  private readonly schema: GraphQLSchema;
  private readonly fragments: ReturnType<typeof fragmentsOf>;
  private readonly maxChars: number;
  private readonly coerce: () => ReturnType<typeof getVariableValues>;
  private variables: ReturnType<typeof getVariableValues> | undefined;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    rawVariables: Variables,
    maxChars: number,
  ) {
    this.schema = schema;
    this.maxChars = maxChars;
    this.fragments = fragmentsOf(document);
    const definitions = operation.variableDefinitions ?? [];
    this.coerce = () => getVariableValues(schema, definitions, rawVariables, { maxErrors: 1 });
  }

  /** Counts the fields `__schema` and `__type` of the root type, with their selections. */
  addRoot(selection: SelectionSetNode): void {
    for (const node of this.fieldsOf(selection)) {
      const field = META_FIELDS.find(({ name }) => name === node.name.value);
      if (field !== undefined) this.addField(node, field, undefined);
    }
  }

  private add(chars: number): void {
    this.chars += chars;
    if (this.chars > this.maxChars)
      throw new AppError('invalid', 'The operation asks for more of the schema than is allowed at once.');
  }

  private addObject(type: GraphQLObjectType, source: unknown, selection: SelectionSetNode): void {
    for (const node of this.fieldsOf(selection)) {
      const field = type.getFields()[node.name.value];
      if (field === undefined) this.add(node.name.value.length + type.name.length);
      else this.addField(node, field, source);
    }
  }

  private addField(node: FieldNode, field: typeof SchemaMetaFieldDef, source: unknown): void {
    this.add((node.alias ?? node.name).value.length + PUNCTUATION_CHARS);
    this.variables ??= this.coerce();
    // The executor refuses variables that cannot be coerced.
    if (this.variables.variableValues === undefined) return;
    const args = getArgumentValues(field, node, this.variables.variableValues);
    const value: unknown = field.resolve?.(source, args, undefined, { schema: this.schema } as never);
    const type = getNamedType(field.type);
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item != null && isObjectType(type) && node.selectionSet)
        this.addObject(type, item, node.selectionSet);
      else this.add(String(item).length);
    }
  }

  /** The fields of a selection, including its fragments. Type conditions do not matter: the introspection types have no subtypes. */
  private *fieldsOf({ selections }: SelectionSetNode): Generator<FieldNode> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) yield selection;
      else {
        // Each spread counts, because nested fragments may expand into very many spreads without any field.
        this.add(1);
        const selectionSet =
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection.selectionSet
            : this.fragments.get(selection.name.value)?.selectionSet;
        if (selectionSet !== undefined) yield* this.fieldsOf(selectionSet);
      }
    }
  }
}
