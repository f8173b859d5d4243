// Fields that show a column, in compiled operations: from the row's bytes to JSON, without their resolvers.
import {
  type GraphQLField,
  type GraphQLOutputType,
  getNullableType,
  isLeafType,
  isNonNullType,
} from 'graphql';
import { type ColumnPosition, type ColumnType, layoutOf, writeField } from '../rows/columns.ts';
import type { Shown } from './column-fields.ts';
import { NULL, Unsupported, type Write } from './complete.ts';

/** The columns whose bytes a type of field writes as they are; it converts the values of all others. */
const AS_THEY_ARE: Readonly<Partial<Record<string, ColumnType>>> = {
  BigInt: 'int8',
  Int: 'int4',
  Float: 'int4',
  String: 'text',
  ID: 'text',
  Boolean: 'bool',
  DateTime: 'timestamp',
};

/** The column that a field shows: its own word, or what Pothos says of a field that has no resolver. */
export function columnShownBy({ resolve, extensions }: GraphQLField<unknown, unknown>): Shown | null {
  const { shown, pothosExposedField: exposed } = extensions;
  if (shown !== undefined) return shown as Shown;
  return resolve === undefined && typeof exposed === 'string' ? { column: exposed } : null;
}

/** A field that shows a column: from the row's bytes to JSON. Objects that are no such rows are asked. */
export function writeColumn({ column, write }: Shown, type: GraphQLOutputType, ask: Write): Write {
  const isNullable = !isNonNullType(type);
  const leafType = getNullableType(type);
  const direct = write === undefined && isLeafType(leafType) ? AS_THEY_ARE[leafType.name] : undefined;
  // The rows of one choice of columns share their layout.
  let layout: ReturnType<typeof layoutOf>;
  let place: ColumnPosition | null = null;
  return (source, execution) => {
    const row = source as object;
    const itsLayout = layoutOf(row);
    if (itsLayout !== layout) {
      layout = itsLayout;
      const found = layout?.get(column);
      place = found !== undefined && (write !== undefined || found.type === direct) ? found : null;
    }
    if (place === null) ask(source, execution);
    else if (!writeField(execution.out, row, place, write)) {
      if (!isNullable) throw new Unsupported();
      execution.out.add(NULL);
    }
  };
}
