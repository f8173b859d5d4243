// Postal addresses: their parts, and how they are written on several lines.
import type { AddressOf, Field, Fields, RowOf } from './description/fields.ts';

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
  country: { ...PART, description: 'The country: any text, such as its name or its code.' },
} as const satisfies Fields;

/** The parts of one address. `name` is the whole name, of an address without first and last name. */
export interface AddressParts extends Partial<RowOf<typeof ADDRESS_PARTS>> {
  readonly name?: string | null;
}

/** An address whose parts are fields of a noun: its other parts are members of `object`, if there is one. */
export interface AddressForm extends Pick<AddressOf, 'description'> {
  /** By part: the property that has it. */
  readonly parts: Readonly<Record<string, string>>;
  /** The property of an object with the other parts. */
  readonly object?: string;
}

/** The addresses of a noun, by the names that GraphQL gives them. */
export function addressesOf(fields: Fields): ReadonlyMap<string, AddressForm> {
  const found = new Map<string, AddressForm>();
  for (const [property, { address }] of Object.entries<Field>(fields)) {
    if (address === undefined) continue;
    const { of, part } = address;
    const { parts = {}, object } = found.get(of.name) ?? {};
    const whole = part === undefined ? property : object;
    found.set(of.name, {
      description: of.description,
      parts: part === undefined ? parts : { ...parts, [part]: property },
      ...(whole !== undefined && { object: whole }),
    });
  }
  return found;
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
