// Fields that show a column, in compiled operations: from the row's bytes to JSON, without their resolvers.
import { type GraphQLField, getNullableType, isLeafType, isNonNullType } from 'graphql';
import type { FieldType } from '../resources/resource.ts';
import { type ColumnPosition, layoutOf, writeField } from '../rows/columns.ts';
import { NULL, Unsupported, type Write } from './complete.ts';
import { fieldOptions } from './field-options.ts';

/** The columns whose bytes a type of field writes as they are; it converts the values of all others. */
const AS_THEY_ARE: Readonly<Partial<Record<string, FieldType>>> = {
  BigInt: 'int8',
  Int: 'int4',
  Float: 'int4',
  String: 'text',
  ID: 'text',
  Boolean: 'bool',
  DateTime: 'timestamp',
};

/** A field that shows a column: from the row's bytes to JSON. Objects that are no such rows are asked. */
export function writeColumn(
  column: string,
  { type, extensions }: GraphQLField<unknown, unknown>,
  ask: Write,
): Write {
  const { write } = fieldOptions({ extensions });
  const isNullable = !isNonNullType(type);
  const leafType = getNullableType(type);
  const direct = write === undefined && isLeafType(leafType) ? AS_THEY_ARE[leafType.name] : undefined;
  // The rows of one projection share their layout.
  let layout: ReturnType<typeof layoutOf>;
  let position: ColumnPosition | null = null;
  return (source, execution) => {
    const row = source as object;
    const itsLayout = layoutOf(row);
    if (itsLayout !== layout) {
      layout = itsLayout;
      const found = layout?.get(column);
      position = found !== undefined && (write !== undefined || found.type === direct) ? found : null;
    }
    if (position === null) ask(source, execution);
    else if (!writeField(execution.out, row, position, write)) {
      if (!isNullable) throw new Unsupported();
      execution.out.add(NULL);
    }
  };
}
