// Finds the path from an object to the contact whose personal data it may contain: the object is the contact, refers to it, or has a parent
// that leads to it.
import { contact } from './contacts.ts';
import { ancestorsOf, parentKeyOf } from './description/ancestors.ts';
import { type NounNames, referencedNoun } from './description/fields.ts';
import type { Resource } from './description/resource.ts';

/** One step: the object is the contact, or a property has the id of the contact or of an object that leads to it. */
export type WayToContact = 'itself' | { readonly key: string; readonly to: Resource };

/**
 * The way to the contact to whom its audit entries and events belong: its parent, else the first field that refers to a contact, or to a
 * part of one, else the contact to which its parent leads. null: the object contains no personal data of a contact.
 */
export function wayToContact(noun: Resource): WayToContact | null {
  if (isContact(noun)) return 'itself';
  const { parent, fields } = noun;
  if (isContact(parent)) return { key: parentKeyOf(noun), to: contact };
  const named = contactFieldsOf(noun).find((property) => fields[property]?.type === 'int8');
  if (named !== undefined) return { key: named, to: contact };
  for (const [key, { refers }] of Object.entries(fields))
    if (refers !== undefined && isPartOfContact(refers)) return { key, to: refers };
  return parent === undefined || wayToContact(parent) === null
    ? null
    : { key: parentKeyOf(noun), to: parent };
}

/** All properties by which an object leads to contacts: ids and lists of ids, and the id of a parent that leads to one. */
export function keysToContacts(noun: Resource): readonly string[] {
  const { parent } = noun;
  const above = parent !== undefined && leadsToContacts(parent) ? [parentKeyOf(noun)] : [];
  return [...new Set([...contactFieldsOf(noun), ...above])];
}

/** Whether it is a contact or leads to some. */
function leadsToContacts(noun: Resource): boolean {
  return isContact(noun) || keysToContacts(noun).length > 0;
}

/** The fields with ids of contacts, without read-only copies of the parent's contact. */
function contactFieldsOf({ fields, parent }: Resource): string[] {
  const isBelow = parent !== undefined && leadsToContacts(parent);
  return Object.entries(fields)
    .filter(([, field]) => isContact(referencedNoun(field)) && !(isBelow && field.writable === undefined))
    .map(([property]) => property);
}

/** Whether it is part of a contact and is deleted with it. */
export function isBelowContact(noun: Resource): boolean {
  return noun.isPartOfContact === true || ancestorsOf(noun).some(isContact);
}

/** Whether a reference names a noun, by its whole description, that is part of a contact. */
function isPartOfContact(noun: NounNames & Partial<Resource>): noun is Resource {
  return noun.isPartOfContact === true;
}

function isContact(noun: Pick<Resource, 'table'> | undefined): boolean {
  return noun?.table === contact.table;
}
