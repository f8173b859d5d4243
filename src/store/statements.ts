// Prepared statements by name: their text is built once a process, and prepared once a connection.

/** A prepared statement. Statements of the same name have the same text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** One of many that clients can request, by a projection (projections.ts) or by filters (selections.ts): a connection keeps a bounded number. */
  readonly isProjection?: boolean;
}

const statements = new Map<string, Statement>();

/** The statement of a name; its text is built on first use. The number of names is fixed by the code, not by clients. */
export function statement(name: string, build: () => string): Statement {
  const found = statements.get(name) ?? { name, text: build() };
  statements.set(name, found);
  return found;
}
