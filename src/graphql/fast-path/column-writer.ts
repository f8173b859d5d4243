// For compiled operations: writes fields that expose a column from the row's bytes to JSON, without calling their resolvers.
import { type GraphQLField, getNullableType, isLeafType, isNonNullType } from 'graphql';
import type { FieldType } from '../../resources/resource.ts';
import { type ColumnPosition, layoutOf, writeField } from '../../rows/columns.ts';
import { fieldOptions } from '../field-options.ts';
import { NULL, Unsupported, type Write } from './complete.ts';

/** By scalar type: the column type whose JSON equals the scalar's. Columns of another type are converted by the scalar. */
const COLUMN_TYPE_OF_SCALAR: Readonly<Partial<Record<string, FieldType>>> = {
  BigInt: 'int8',
  Int: 'int4',
  Float: 'int4',
  String: 'text',
  ID: 'text',
  Boolean: 'bool',
  DateTime: 'timestamp',
};

/**
 * A writer for a field that exposes a column.
 * @param writeResolved calls the field's resolver, for objects that are not rows with this column
 */
export function columnWriter(
  column: string,
  { type, extensions }: GraphQLField<unknown, unknown>,
  writeResolved: Write,
): Write {
  const { write } = fieldOptions({ extensions });
  const isNullable = !isNonNullType(type);
  const leafType = getNullableType(type);
  const directType =
    write === undefined && isLeafType(leafType) ? COLUMN_TYPE_OF_SCALAR[leafType.name] : undefined;
  // Rows of the same projection share their layout, so the position is looked up once for many rows.
  let layout: ReturnType<typeof layoutOf>;
  let position: ColumnPosition | null = null;
  return (source, execution) => {
    const row = source as object;
    const rowLayout = layoutOf(row);
    if (rowLayout !== layout) {
      layout = rowLayout;
      const found = layout?.get(column);
      position = found !== undefined && (write !== undefined || found.type === directType) ? found : null;
    }
    if (position === null) writeResolved(source, execution);
    else if (!writeField(execution.out, row, position, write)) {
      if (!isNullable) throw new Unsupported();
      execution.out.add(NULL);
    }
  };
}
