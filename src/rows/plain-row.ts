// Rows of the store as plain objects: those have getters, which a spread does not copy.

/** The properties of a row that a description has fields for. */
export function plainRow<Row extends object>({ fields }: { readonly fields: object }, row: Row): Row {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, Reflect.get(row, name)])) as Row;
}
