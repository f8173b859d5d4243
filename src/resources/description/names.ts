// What nouns and fields are called: over REST, over GraphQL, and in sentences.
import { type Field, isExpandable } from './fields.ts';
import type { Resource } from './resource.ts';

/** The name of GraphQL's field for the objects whose ids a property has: `page` for `pageId`, `pages` for `pageIds`. */
export function referenceFieldName(property: string): string {
  return property.endsWith('Ids') ? pluralOf(property.slice(0, -'Ids'.length)) : property.replace(/Id$/, '');
}

/** The REST name of a field: the column's name, unless the specification has another. */
export function restNameOf(property: string, { restName }: Pick<Field, 'restName'> = {}): string {
  return restName ?? toSnakeCase(property);
}

/** The REST names of the fields that it returns only if `expand[]` lists them. */
export function expandableNames({ fields }: Pick<Resource, 'fields'>): string[] {
  return Object.entries(fields)
    .filter(([, field]) => isExpandable(field))
    .map(([property, field]) => restNameOf(property, field));
}

/** The REST names of the members that REST leaves out of the objects in a field. */
export function namesNotInParent({ items, object = items ?? {} }: Field): string[] {
  return Object.entries(object).flatMap(([property, field]) =>
    field.notInParent === true ? [restNameOf(property, field)] : [],
  );
}

/** The GraphQL name of a field, in outputs and inputs. */
export function graphqlNameOf(
  property: string,
  { graphqlName = property }: Pick<Field, 'graphqlName'> = {},
): string {
  return graphqlName;
}

/** The name of GraphQL's type for a noun, which its global ids contain. */
export function graphqlTypeNameOf({
  type,
  graphqlName = type,
}: Pick<Resource, 'type' | 'graphqlName'>): string {
  return graphqlName;
}

/** `publicId` as `public_id`. */
export function toSnakeCase(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The name of a noun without its namespace: `applied_tag` for the topic `contacts/applied_tag`. */
export function ownNameOf({
  type,
  wrapper = toSnakeCase(uncapitalize(type)),
  topic = wrapper,
}: Pick<Resource, 'type' | 'wrapper' | 'topic'>): string {
  const words = topic.slice(topic.lastIndexOf('/') + 1).split('_');
  // Of the topic `form_submission` with the wrapper `forms_submission` it is `submission`.
  const first = words.findIndex((_, at) => wrapper.endsWith(words.slice(at).join('_')));
  return words.slice(Math.max(first, 0)).join('_');
}

/** `Contact` as `contact`. */
export function uncapitalize(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** The plural of a noun's name. */
export function pluralOf(word: string): string {
  if (word.endsWith('s')) return `${word}es`;
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Words with their indefinite article, such as `an audit entry`. */
export function withArticle(words: string): string {
  return `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`;
}

/** One object of a noun in a sentence: `a contact`, and `the site` if each parent has one. */
export function nounPhrase({ title, most }: Pick<Resource, 'title' | 'most'>): string {
  return most === 1 ? `the ${title.toLowerCase()}` : withArticle(title.toLowerCase());
}

/** The name of a noun in events and audit entries. */
export function subjectTypeOf({ type, subjectType = type }: Resource): string {
  return subjectType;
}
