// The rules for personal data in descriptions. Loading the list of nouns fails if a description has personal data that could not be
// erased with the contact (store/erasure/).
import { isBelowContact, keysToContacts, wayToContact } from './contact-ways.ts';
import { typeOf } from './description/field-types.ts';
import type { Field } from './description/fields.ts';
import type { Resource } from './description/resource.ts';

/** The faults of a noun's personal fields, as sentences. An empty list means that an erasure can blank them all. */
export function personalDataFaults(noun: Resource): string[] {
  const { type, fields } = noun;
  const isPersonal = Object.values(fields).some(({ personal }) => personal);
  const ofFields = Object.entries(fields).flatMap(([property, field]) => [
    ...(field.personal && !isBlankable(noun, property, field)
      ? [
          `${type}.${property} is personal, so it must be nullable, free text, members or a list: an erasure cannot blank other values.`,
        ]
      : []),
    ...(field.personal &&
    (noun.filters?.[property] !== undefined || noun.search?.includes(property)) &&
    !isBelowContact(noun) &&
    wayToContact(noun) !== 'itself'
      ? [`${type}.${property} is personal, so it must not be a filter: a filter would reveal hidden values.`]
      : []),
    ...Object.entries({ ...field.items, ...field.object }).flatMap(([name, { personal }]) =>
      personal
        ? [`${type}.${property}.${name} cannot be personal. Mark ${type}.${property} as personal instead.`]
        : [],
    ),
  ]);
  return isPersonal ? [...ofFields, ...wayFaults(noun)] : ofFields;
}

/**
 * The faults of the way from a noun to the contact whose personal data it has. An audit entry or event belongs to one contact, so an object
 * with personal data must lead to exactly one contact, and always to the same one.
 */
function wayFaults(noun: Resource): string[] {
  const way = wayToContact(noun);
  if (way === 'itself') return [];
  if (way === null) return [`${noun.type} has personal data, but no reference leads from it to a contact.`];
  const { type, fields } = noun;
  const keys = keysToContacts(noun);
  return [
    ...(keys.length > 1
      ? [`${type} has personal data, so only one of ${keys.join(', ')} may lead to a contact.`]
      : []),
    ...(fields[way.key]?.writable === 'always' && !fields[way.key]?.handsOver
      ? [`${type}.${way.key} decides whose personal data it is, so it may be writable only at_creation.`]
      : []),
    ...wayFaults(way.to),
  ];
}

/** Whether a field can be set to null or emptied. A text with a format or a unique filter cannot be empty. */
function isBlankable({ filters }: Resource, property: string, field: Field): boolean {
  const { type, nullable, members, values, format } = field;
  if (nullable || members !== undefined || typeOf(type).isList) return true;
  return type === 'text' && values === undefined && format === undefined && !filters?.[property]?.unique;
}
