// For compiled operations: writes fields that expose a column from the row's bytes to JSON, without calling their resolvers.
import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLNullableOutputType,
  getNullableType,
  isEnumType,
  isLeafType,
  isNonNullType,
} from 'graphql';
import { type FieldType, typeOf } from '../../resources/description/field-types.ts';
import { type ColumnPosition, layoutOf, writeField } from '../../rows/columns.ts';
import { type WriteJson, writeInstead } from '../../rows/json-writers.ts';
import { fieldOptions } from '../field-options.ts';
import { NULL, Unsupported, type Write } from './complete.ts';

/** Scalars whose values are written like those of another scalar. */
const SAME_JSON: Readonly<Record<string, string | undefined>> = { ID: 'String', Float: 'Int' };
/** The scalar that converts its values, so a column cannot be copied. */
const CONVERTING = 'JSON';

/** Whether the JSON of a column is also the JSON of the scalar's value. */
function isDirect(type: FieldType, scalar: string | undefined): boolean {
  const { scalar: own, isList } = typeOf(type);
  return (SAME_JSON[own] ?? own) === scalar && !isList && scalar !== CONVERTING;
}

/** The scalar that is written like the type's values; undefined for objects. The values of an enum are text. */
function scalarOf(type: GraphQLNullableOutputType): string | undefined {
  if (isEnumType(type)) return 'String';
  return isLeafType(type) ? (SAME_JSON[type.name] ?? type.name) : undefined;
}

/** Writes the texts of a column as the names of an enum. */
function writerOfNames(type: GraphQLEnumType): WriteJson {
  return writeInstead(
    new Map(type.getValues().map(({ name, value }) => [String(value), JSON.stringify(name)])),
  );
}

/**
 * A writer for a field that exposes a column.
 * @param writeResolved calls the field's resolver, for objects that are not rows with this column
 */
export function columnWriter(
  column: string,
  { type, extensions }: GraphQLField<unknown, unknown>,
  writeResolved: Write,
): Write {
  const { write: own } = fieldOptions({ extensions });
  const isNullable = !isNonNullType(type);
  const leafType = getNullableType(type);
  const ofEnum = isEnumType(leafType) ? writerOfNames(leafType) : undefined;
  const write = own ?? ofEnum;
  const scalar = scalarOf(leafType);
  // Rows of the same projection share their layout, so that the position is looked up once for many rows.
  let layout: ReturnType<typeof layoutOf>;
  let position: ColumnPosition | null = null;
  return (source, execution) => {
    const row = source as object;
    const rowLayout = layoutOf(row);
    if (rowLayout !== layout) {
      layout = rowLayout;
      const found = layout?.get(column);
      position = found !== undefined && (own !== undefined || isDirect(found.type, scalar)) ? found : null;
    }
    if (position === null) writeResolved(source, execution);
    else if (!writeField(execution.out, row, position, write)) {
      if (!isNullable) throw new Unsupported();
      execution.out.add(NULL);
    }
  };
}
