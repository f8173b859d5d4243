// The rules of personal data in descriptions: what an erasure of a contact (store/erasure/) could not blank is refused when the list of
// nouns is loaded.
import type { Field, Resource } from './resource.ts';

/** What is wrong with the personal fields of a noun, as sentences; none: they can be erased with their contact. */
export function personalDataFaults(noun: Resource): string[] {
  const { type, fields } = noun;
  return Object.entries(fields).flatMap(([property, field]) => [
    ...(field.personal && !isBlankable(noun, property, field)
      ? [
          `${type}.${property} is personal, so it must be nullable, any text, or members: nothing else can be blanked.`,
        ]
      : []),
    ...Object.entries({ ...field.items, ...field.object }).flatMap(([name, { personal }]) =>
      personal ? [`${type}.${property}.${name} is personal, but only a whole field can be.`] : [],
    ),
  ]);
}

/** Whether a field can be made null or empty. Empty text is no value of a format, and unique only once. */
function isBlankable({ filters }: Resource, property: string, field: Field): boolean {
  const { type, nullable, members, values, format } = field;
  if (nullable || members !== undefined) return true;
  return type === 'text' && values === undefined && format === undefined && !filters?.[property]?.unique;
}
