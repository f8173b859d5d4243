// How large an answer about the schema gets: counted by going through the schema as the executor will, without making the
// answer. The schema needs no key, so the limits on data do not apply to it.
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
import { AppError } from '../errors.ts';
import type { Variables } from './weights.ts';

/** How often the whole schema may be read at once. */
const MAX_TIMES = 2;

/** The quotes, colon and comma around a member. */
const PUNCTUATION_CHARS = 5;

/** How long the answer to the longest introspection query is, in characters. */
const wholes = new WeakMap<GraphQLSchema, number>();

/** @throws AppError `invalid` where the operation asks for much more of the schema than all of it */
export function requireSmallIntrospection(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): void {
  const whole = wholes.get(schema) ?? sizeOfWhole(schema);
  wholes.set(schema, whole);
  const counter = new Counter(schema, document, operation, variables, MAX_TIMES * whole);
  counter.addRoot(operation.selectionSet);
}

/** In characters. */
function sizeOfWhole(schema: GraphQLSchema): number {
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
  const counter = new Counter(schema, document, operation, {}, Number.POSITIVE_INFINITY);
  counter.addRoot(operation.selectionSet);
  return counter.chars;
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef];

class Counter {
  chars = 0;
  private readonly schema: GraphQLSchema;
  private readonly fragments = new Map<string, SelectionSetNode>();
  private readonly maxChars: number;
  private readonly coerce: () => ReturnType<typeof getVariableValues>;
  private variables: ReturnType<typeof getVariableValues> | undefined;

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    given: Variables,
    maxChars: number,
  ) {
    this.schema = schema;
    this.maxChars = maxChars;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.fragments.set(definition.name.value, definition.selectionSet);
    }
    const definitions = operation.variableDefinitions ?? [];
    this.coerce = () => getVariableValues(schema, definitions, given, { maxErrors: 1 });
  }

  /** Counts what is below `__schema` and `__type`, wherever a selection of the root has them. */
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
    // Variables that do not fit are refused by the executor.
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

  /** The fields of a selection, those of its fragments included. The introspection types have no subtypes. */
  private *fieldsOf({ selections }: SelectionSetNode): Generator<FieldNode> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) yield selection;
      else {
        // Fragments in fragments may unfold into very many empty ones.
        this.add(1);
        const within =
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection.selectionSet
            : this.fragments.get(selection.name.value);
        if (within !== undefined) yield* this.fieldsOf(within);
      }
    }
  }
}
