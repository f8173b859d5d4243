// The type of postal addresses. An address is one object, also where REST has its parts as fields of another object.
import type { FieldMap } from '@pothos/core';
import {
  ADDRESS_PARTS,
  type AddressParts,
  addressesOf,
  addressLines,
  recipientOf,
} from '../resources/addresses.ts';
import type { Resource } from '../resources/description/resource.ts';
import { createRenamer } from '../rows/columns.ts';
import { builder, defineOnce, type Types } from './builder.ts';
import { resourceFields } from './resource-fields.ts';

type Builder = PothosSchemaTypes.ObjectFieldBuilder<Types, Readonly<Record<string, unknown>>>;

export const addressType = () =>
  defineOnce('Address', () =>
    builder.objectRef<AddressParts>('Address').implement({
      description: 'A postal address.',
      isPart: true,
      fields: (t) => ({
        ...resourceFields(t, ADDRESS_PARTS),
        name: t.string({
          nullable: true,
          description: 'The whole name of the recipient.',
          resolve: recipientOf,
        }),
        formatted: t.stringList({
          description:
            'The lines of the address, as they are written on a letter. They have no phone number.',
          resolve: addressLines,
        }),
      }),
    }),
  );

/** The fields for the addresses of which all parts are fields of a noun. Null for an address without any part. */
export function addressFields(t: object, { fields }: Pick<Resource, 'fields'>): FieldMap {
  const whole = [...addressesOf(fields)].filter(([, { object }]) => object === undefined);
  const made = whole.map(([name, { description, parts }]) => {
    const properties = Object.values(parts);
    const toAddress = readerOf(parts);
    const field = (t as Builder).field({
      type: addressType(),
      nullable: true,
      description: `${description} Null if nothing of it is known.`,
      columns: properties,
      resolve: (row) => (properties.some((property) => row[property]) ? toAddress(row) : null),
    });
    return [name, field] as const;
  });
  return Object.fromEntries(made);
}

/** Reads an address of a row. It is a row itself where the row is one, so that the fast path copies its parts. */
function readerOf(
  parts: Readonly<Record<string, string>>,
): (row: Readonly<Record<string, unknown>>) => AddressParts {
  const names = Object.entries(parts);
  const fromRow = createRenamer(parts);
  return (row) =>
    (fromRow(row) ??
      Object.fromEntries(names.map(([part, property]) => [part, row[property]]))) as AddressParts;
}
