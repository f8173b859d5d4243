// Prepared statements by name: the text is built once a process, and parsed once a connection.

/** A statement that is the same text whenever it has the same name; prepared once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** One of many that clients choose by what they ask for (projections.ts): a connection keeps only so many of them. */
  readonly isProjection?: boolean;
}

const statements = new Map<string, Statement>();

/** Builds a statement's text when it is first asked for. None is made from what clients choose: there are as many as the code has. */
export function statement(name: string, build: () => string): Statement {
  const found = statements.get(name) ?? { name, text: build() };
  statements.set(name, found);
  return found;
}
