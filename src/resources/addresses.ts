// Postal addresses: their parts, and how they are written on several lines.
import type { Fields, RowOf } from './resource.ts';

const PART = { type: 'text', nullable: true } as const;

/** The parts of an address. Not every kind of address has all of them. */
export const ADDRESS_PARTS = {
  firstName: { ...PART, description: 'The first name of the recipient.' },
  lastName: { ...PART, description: 'The last name of the recipient.' },
  organizationName: { ...PART, description: 'The organization.' },
  phoneNumber: { ...PART, description: 'The phone number of the recipient.' },
  streetOne: { ...PART, description: 'The street and house number.' },
  streetTwo: { ...PART, description: 'The second line of the street address, such as a floor.' },
  city: { ...PART, description: 'The city or town.' },
  region: { ...PART, description: 'The state or region.' },
  postalCode: { ...PART, description: 'The postal code.' },
  country: { ...PART, description: 'The country.' },
} as const satisfies Fields;

/** The parts of one address. `name` is the whole name, of an address without first and last name. */
export interface AddressParts extends Partial<RowOf<typeof ADDRESS_PARTS>> {
  readonly name?: string | null;
}

const joined = (parts: readonly (string | null | undefined)[], separator: string) =>
  parts.filter(Boolean).join(separator);

/** The recipient's whole name; null if the address has none. */
export function recipientOf({ name, firstName, lastName }: AddressParts): string | null {
  return name || joined([firstName, lastName], ' ') || null;
}

/** The lines of an address, as they are written on a letter. A line without any part is left out. */
export function addressLines(address: AddressParts): string[] {
  const { organizationName, streetOne, streetTwo, city, region, postalCode, country } = address;
  const town = joined([city, joined([region, postalCode], ' ')], ', ');
  const lines = [recipientOf(address), organizationName, streetOne, streetTwo, town, country];
  return lines.filter((line): line is string => Boolean(line));
}
