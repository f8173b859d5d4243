// The rules of personal data in descriptions: what an erasure of a contact (store/erasure/) could not blank is refused when the list of
// nouns is loaded.
import { keysToContacts, wayToContact } from './contact-ways.ts';
import type { Field, Resource } from './resource.ts';

/** What is wrong with the personal fields of a noun, as sentences; none: they can be erased with their contact. */
export function personalDataFaults(noun: Resource): string[] {
  const { type, fields } = noun;
  const isPersonal = Object.values(fields).some(({ personal }) => personal);
  const ofFields = Object.entries(fields).flatMap(([property, field]) => [
    ...(field.personal && !isBlankable(noun, property, field)
      ? [
          `${type}.${property} is personal, so it must be nullable, any text, or members: nothing else can be blanked.`,
        ]
      : []),
    ...Object.entries({ ...field.items, ...field.object }).flatMap(([name, { personal }]) =>
      personal ? [`${type}.${property}.${name} is personal, but only a whole field can be.`] : [],
    ),
  ]);
  return isPersonal ? [...ofFields, ...wayFaults(noun)] : ofFields;
}

/**
 * What is wrong with the way from a noun to the contact whose personal data it has. An audit entry and an event are about one contact, that
 * so an object must lead to one only, and never come to another.
 */
function wayFaults(noun: Resource): string[] {
  const way = wayToContact(noun);
  if (way === 'itself') return [];
  if (way === null) return [`${noun.type} has personal data, but leads to no contact.`];
  const { type, fields } = noun;
  const keys = keysToContacts(noun);
  return [
    ...(keys.length > 1
      ? [`${type} has personal data, so only one of ${keys.join(', ')} may lead to a contact.`]
      : []),
    ...(fields[way.key]?.writable === 'always'
      ? [`${type}.${way.key} leads personal data to its contact, so it may be writable at_creation only.`]
      : []),
    ...wayFaults(way.to),
  ];
}

/** Whether a field can be made null or empty. Empty text is no value of a format, and unique only once. */
function isBlankable({ filters }: Resource, property: string, field: Field): boolean {
  const { type, nullable, members, values, format } = field;
  if (nullable || members !== undefined) return true;
  return type === 'text' && values === undefined && format === undefined && !filters?.[property]?.unique;
}
