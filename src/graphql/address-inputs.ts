// Addresses in inputs. One type has the parts of all kinds of address: which of them an address has is said by the field that takes it.
import type { Fault, FieldError } from '../errors.ts';
import { ADDRESS_PARTS, type AddressForm, addressesOf } from '../resources/addresses.ts';
import type { Fields } from '../resources/description/fields.ts';
import { isRequired, type Moment } from '../resources/description/inputs.ts';
import { graphqlNameOf } from '../resources/description/names.ts';
import { builder, defineOnce } from './builder.ts';

type Members = Readonly<Record<string, unknown>>;

const NO_PART: Fault = { code: 'not_allowed', message: 'is no part of this address' };

/** The type of an address in inputs. */
export const addressInput = () =>
  defineOnce('AddressInput', () =>
    builder.inputType('AddressInput', {
      description: 'A postal address. It replaces a former one as a whole.',
      fields: (t) => ({
        ...Object.fromEntries(
          Object.entries(ADDRESS_PARTS).map(([part, { description }]) => [part, t.string({ description })]),
        ),
        name: t.string({ description: 'The whole name of the recipient.' }),
      }),
    }),
  );

/** The names of an address's parts in inputs. */
function partsOf(fields: Fields, { parts, object }: AddressForm): string[] {
  const others = object === undefined ? {} : (fields[object]?.object ?? {});
  return [
    ...Object.keys(parts),
    ...Object.entries(others).map(([property, field]) => graphqlNameOf(property, field)),
  ];
}

/** The parts that an address must have. */
function neededParts(fields: Fields, { parts }: AddressForm): string[] {
  return Object.entries(parts).flatMap(([part, property]) => (fields[property]?.required ? [part] : []));
}

interface AddressInput {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly description: string;
}

/** The inputs for the addresses among some fields. */
export function addressInputs(fields: Fields, moment: Moment): AddressInput[] {
  return [...addressesOf(fields)].map(([name, form]) => {
    const needed = neededParts(fields, form);
    const has = `It has ${partsOf(fields, form).join(', ')}${needed.length > 0 ? `; ${needed.join(' and ')} must be given` : ''}.`;
    const change =
      moment === 'creation'
        ? []
        : [
            'It replaces the whole address: a part that is not given is cleared.',
            ...(needed.length > 0 ? [] : ['Null clears all of it.']),
          ];
    return {
      name,
      isNeeded: Object.values(form.parts).some((property) => {
        const field = fields[property];
        return field !== undefined && isRequired(field, moment);
      }),
      description: [form.description, has, ...change].join(' '),
    };
  });
}

/**
 * The input with the addresses in the form of REST: each part under the name that errors give it, `shippingAddress.city`.
 * @returns `faults`: one for each part that an address cannot have
 */
export function withAddressParts(
  fields: Fields,
  input: Members,
): { readonly input: Members; readonly faults: readonly FieldError[] } {
  const settled: Record<string, unknown> = { ...input };
  const faults: FieldError[] = [];
  for (const [name, form] of addressesOf(fields)) {
    const given = input[name] as Members | null | undefined;
    delete settled[name];
    const needed = neededParts(fields, form);
    // An address that must have a part cannot be cleared: null counts as missing, as for other fields.
    if (given === undefined || (given === null && needed.length > 0)) continue;
    const known = partsOf(fields, form);
    // What must be given is blamed with the other fields if it is empty.
    const partOf = (part: string) => given?.[part] ?? (needed.includes(part) ? '' : null);
    for (const part of known.filter((one) => one in form.parts)) settled[`${name}.${part}`] = partOf(part);
    const others = known.filter((part) => !(part in form.parts));
    if (form.object !== undefined)
      settled[name] = Object.fromEntries(others.map((part) => [part, partOf(part)]));
    for (const [part, value] of Object.entries(given ?? {}))
      if (value !== null && !known.includes(part)) faults.push({ ...NO_PART, field: `${name}.${part}` });
  }
  return { input: settled, faults };
}
