// Our own Pothos options of fields and types: scopes, costs, and the columns that a field reads. They are typed, so a misspelt option
// does not compile. Authorization, cost analysis, look-ahead and the fast path read them from the built schema.
import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import { type GraphQLField, type GraphQLNamedType, getNamedType } from 'graphql';
import type { Scope } from '../auth/scopes.ts';
import type { WriteJson } from '../rows/json-writers.ts';

interface OwnFieldOptions<Parent> {
  /** The scope that a caller needs, checked before the resolver is called (schema.ts). null: no scope, even if its type declares one. */
  readonly scope?: Scope | null;
  /** The columns of the parent row that the resolver reads. Without `columns` or `column`, all columns are selected. */
  readonly columns?: readonly ((keyof Parent & string) | 'id' | 'hasMore')[];
  /** The one column that the field exposes: the fast path writes it without calling the resolver. */
  readonly column?: (keyof Parent & string) | 'id';
  /** How the fast path writes the column, if not in the default way of its type. */
  readonly write?: WriteJson;
  /** The field returns the parent's own rows or parts of them. They cost nothing extra, and its selection adds to the parent's columns. */
  readonly sameRows?: true;
  /** The field returns rows that can be read together with the parent. The parent's projection names their columns (look-ahead.ts). */
  readonly below?: true;
  /** Like `below`, for the one row whose id is in this column. Its columns only: what that row refers to is read separately. */
  readonly joins?: keyof Parent & string;
  /**
   * For the cost analysis: how many objects the field is assumed to return for one parent. Every list of objects declares it, or `rowsOf`.
   * A list that turns out longer is counted when it is read (limits/long-lists.ts).
   */
  readonly rows?: number;
  /** The parent's property with the ids of the objects that a list returns: a list with too many ids is refused before it is read. */
  readonly idsIn?: keyof Parent & string;
  /** For the cost analysis: the argument whose length is the number of objects that the field returns. */
  readonly rowsOf?: string;
  /** For the cost analysis: the cost of the field in addition to what it returns, in rows. */
  readonly cost?: number;
  /**
   * For the cost analysis: what the field and its selection read is the same for all objects of one parent, and is read once for a list with
   * `sharesReads`.
   */
  readonly isShared?: true;
  /** All objects of the list have the same parent: their fields with `isShared` cost once, not once for each. */
  readonly sharesReads?: true;
}

/** The assumed length of a list of rows, and of values such as a contact's tags. */
const ASSUMED_ROWS = 20;
const ASSUMED_VALUES = 5;

/** The option `rows` of a list of at most `most` rows. */
export const assumedRows = (most: number = ASSUMED_ROWS): number => Math.min(most, ASSUMED_ROWS);

/** The option `rows` of a list of at most `most` values. */
export const assumedValues = (most: number = ASSUMED_VALUES): number => Math.min(most, ASSUMED_VALUES);

interface OwnTypeOptions {
  /** The scope that a caller needs to read objects of the type. null: none, wherever they are. */
  readonly scope?: Scope | null;
  /** Objects of the type are parts of other rows, and cost nothing in addition to those. */
  readonly isPart?: true;
  /** The type is the interface of several kinds of rows: the column with the kind of a row. */
  readonly kindBy?: string;
  /** The type is a connection: its lists are as long as the page size of the field. */
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

type WithExtensions = Pick<GraphQLField<unknown, unknown> | GraphQLNamedType, 'extensions'>;

const NO_OPTIONS = Object.freeze({});

/** The options that a field was defined with. */
export function fieldOptions({ extensions }: WithExtensions): OwnFieldOptions<Record<string, unknown>> {
  return (extensions['pothosOptions'] as OwnFieldOptions<Record<string, unknown>> | undefined) ?? NO_OPTIONS;
}

/** The options that a type was defined with. */
export function typeOptions({ extensions }: WithExtensions): OwnTypeOptions {
  return (extensions['pothosOptions'] as OwnTypeOptions | undefined) ?? NO_OPTIONS;
}

/** The column that a field exposes: its option `column`, or else the property of `t.expose` if it has no resolver; null if neither. */
export function exposedColumn(field: GraphQLField<unknown, unknown>): string | null {
  const { column } = fieldOptions(field);
  const { pothosExposedField: exposed } = field.extensions;
  return column ?? (field.resolve === undefined && typeof exposed === 'string' ? exposed : null);
}

/** The scope that a caller needs for a field: the field's own, or else that of its type; null for none. */
export function scopeOf(field: GraphQLField<unknown, unknown>): Scope | null {
  const { scope = typeOptions(getNamedType(field.type)).scope } = fieldOptions(field);
  return scope ?? null;
}
