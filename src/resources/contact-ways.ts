// Finds the path from an object to the contact whose personal data it may contain: the object is the contact, refers to it, or has a parent
// that leads to it.
import { contact } from './contacts.ts';
import { above, nounNamedBy, parentKeyOf, type Resource } from './resource.ts';

/** One step: the object is the contact; a property has the contact's id; a property has the id of a parent that leads to it. */
export type WayToContact = 'itself' | { readonly key: string; readonly to: Resource };

/** null: the object contains no personal data of a contact. */
export function wayToContact(noun: Resource): WayToContact | null {
  if (isContact(noun)) return 'itself';
  const { parent, fields } = noun;
  if (isContact(parent)) return { key: parentKeyOf(noun), to: contact };
  const [named] =
    Object.entries(fields).find(([, field]) => field.type === 'int8' && isContact(nounNamedBy(field))) ?? [];
  if (named !== undefined) return { key: named, to: contact };
  return parent === undefined || wayToContact(parent) === null
    ? null
    : { key: parentKeyOf(noun), to: parent };
}

/** Whether it is part of a contact and is deleted with it. */
export function isBelowContact(noun: Resource): boolean {
  return above(noun).some(isContact);
}

function isContact(noun: Pick<Resource, 'table'> | undefined): boolean {
  return noun?.table === contact.table;
}
