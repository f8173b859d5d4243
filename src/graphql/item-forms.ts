// List items and single values that GraphQL writes in a form of its own, such as places and criteria.

/** The members of an object that a client sent. */
export type Members = Readonly<Record<string, unknown>>;

/** A list item, or a single value, that GraphQL writes in a form of its own. */
interface ItemForm {
  readonly type: object;
  /** The item in the form that services take. @param path its place in the input @throws AppError `invalid` */
  toItem(given: Members, path: string): Members;
}

/** By the names of the types, whose modules fill it. */
export const itemForms = new Map<string, ItemForm>();

/** Gives the items of a type another form. */
export function setItemForm(itemType: string, form: ItemForm): void {
  itemForms.set(itemType, form);
}
