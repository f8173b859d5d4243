// Writes the children that a client gives with their parent, in the parent's transaction and under its lock.

/** What a client does with one child. The index is its place in the list that the client sent. */
export type GivenChild =
  | { readonly verb: 'create'; readonly index: number; readonly given: string }
  | { readonly verb: 'update'; readonly index: number; readonly id: bigint; readonly given: string }
  | { readonly verb: 'remove'; readonly index: number; readonly id: bigint };

/** By the property of the list. What is given of a child is JSON by column. */
export type GivenChildren = Readonly<Record<string, readonly GivenChild[]>>;

/** A list of children cannot be written: it names a row that the parent does not have, or the parent would have too many. */
export class ChildRefused extends Error {
  readonly property: string;
  /** null: there would be too many. */
  readonly index: number | null;

  constructor(property: string, index: number | null) {
    super(`${property} is refused`);
    this.property = property;
    this.index = index;
  }
}
