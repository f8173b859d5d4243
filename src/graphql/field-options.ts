// What a field or a type says of itself beyond GraphQL's own words, as options of Pothos: typed, so that a misspelt one does not
// compile. They are read off the built schema by whatever limits, authorizes and speeds up operations.
import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import { type GraphQLField, type GraphQLNamedType, getNamedType } from 'graphql';
import type { Scope } from '../auth/scopes.ts';
import type { WriteJson } from '../rows/columns.ts';

interface OwnFieldOptions<Parent> {
  /** What a caller needs for the field: asked before its resolver (schema.ts). null: nothing, whatever its type needs. */
  readonly scope?: Scope | null;
  /** The columns of its row that the resolver looks at; without them, all are read for it. */
  readonly columns?: readonly ((keyof Parent & string) | 'id')[];
  /** The one column that it shows: a compiled operation writes that without asking the resolver. */
  readonly column?: keyof Parent & string;
  /** How the column is written, where that is not as its type is. */
  readonly write?: WriteJson;
  /** It leads on to parts of the same rows, which have been read and counted already. */
  readonly sameRows?: true;
  /** How many objects it returns for one parent at most, in the cost of an operation. */
  readonly rows?: number;
  /** The argument whose length is the number of objects that it returns. */
  readonly rowsOf?: string;
  /** What it costs besides what it returns, in rows. */
  readonly cost?: number;
}

interface OwnTypeOptions {
  /** What a caller needs to read objects of the type. */
  readonly scope?: Scope;
  /** The type is a connection: the page size of a field of this type is that of the lists in it. */
  readonly isConnection?: true;
}

declare global {
  export namespace PothosSchemaTypes {
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > extends OwnFieldOptions<ParentShape> {}
    export interface BaseTypeOptions<Types extends SchemaTypes = SchemaTypes> extends OwnTypeOptions {}
  }
}

type Extended = Pick<GraphQLField<unknown, unknown> | GraphQLNamedType, 'extensions'>;

const NONE = Object.freeze({});

/** The options that a field was defined with. */
export function fieldOptions({ extensions }: Extended): OwnFieldOptions<Record<string, unknown>> {
  return (extensions['pothosOptions'] as OwnFieldOptions<Record<string, unknown>> | undefined) ?? NONE;
}

/** The options that a type was defined with. */
export function typeOptions({ extensions }: Extended): OwnTypeOptions {
  return (extensions['pothosOptions'] as OwnTypeOptions | undefined) ?? NONE;
}

/** The column that a field shows: the one that it names, or the property that Pothos exposes where it has no resolver. */
export function columnShownBy(field: GraphQLField<unknown, unknown>): string | null {
  const { column } = fieldOptions(field);
  const { pothosExposedField: exposed } = field.extensions;
  return column ?? (field.resolve === undefined && typeof exposed === 'string' ? exposed : null);
}

/** What a caller needs for a field: what it says itself, or what its type needs. */
export function scopeOf(field: GraphQLField<unknown, unknown>): Scope | null {
  const { scope = typeOptions(getNamedType(field.type)).scope } = fieldOptions(field);
  return scope ?? null;
}
