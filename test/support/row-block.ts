// Handmade rows in the form of PostgreSQL.
import { type RowBlock, RowCollector } from '../../src/rows/row-block.ts';

/** The block of DataRow messages with these texts; null is null. */
export function toBlock(...rows: readonly (readonly (string | null)[])[]): RowBlock {
  const collector = new RowCollector();
  for (const fields of rows) {
    const message = toMessage(fields);
    collector.add(message, 0, message.length);
  }
  return collector.take();
}

/** The part of a DataRow message after its length. */
export function toMessage(fields: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(fields.length);
  return Buffer.concat([
    count,
    ...fields.flatMap((field) => {
      const bytes = Buffer.from(field ?? '');
      const length = Buffer.alloc(4);
      length.writeInt32BE(field === null ? -1 : bytes.length);
      return [length, bytes];
    }),
  ]);
}
