// Looking things up by the names that the demo data gives them. A name that nobody has is a slip in the data.

/** Ids by name. */
export type Named = ReadonlyMap<string, bigint>;

/** @throws Error naming what the data got wrong */
export function requireNamed(named: Named, what: string, name: string): bigint {
  const id = named.get(name);
  if (id === undefined) throw new Error(`Demo data: there is no ${what} "${name}".`);
  return id;
}

/** Pairs two lists of the same length. */
export function zip<A, B>(left: readonly A[], right: readonly B[]): [A, B][] {
  if (left.length !== right.length) throw new Error(`Lengths differ: ${left.length}, ${right.length}.`);
  return left.map((item, index) => [item, right[index] as B]);
}
