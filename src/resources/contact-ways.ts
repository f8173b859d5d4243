// How an object leads to the contact whose personal data it may hold: it is the contact, it names one, or its parent leads to one.
import { contact } from './contacts.ts';
import { above, nounNamedBy, parentKeyOf, type Resource } from './resource.ts';

/** One step of the way: the object is the contact; a property names it; a property names the parent, which leads there. */
export type WayToContact = 'itself' | { readonly key: string; readonly to: Resource };

/** null: it is about nobody. */
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

/** Whether it is a part of a contact, which goes with it. */
export function isBelowContact(noun: Resource): boolean {
  return above(noun).some(isContact);
}

function isContact(noun: Pick<Resource, 'table'> | undefined): boolean {
  return noun?.table === contact.table;
}
