// Prepared statements by name. A statement's text is built once per process, and prepared once per connection.

/** A prepared statement. Statements of the same name have the same text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /**
   * Whether it is one of many that clients can request, through projections (projections.ts) or filters (selections.ts). A connection keeps
   * a bounded number of these.
   */
  readonly isProjection?: boolean;
}

const statements = new Map<string, Statement>();

/** The statement with a name; its text is built on first use. The code fixes the number of names, not clients. */
export function statement(name: string, build: () => string): Statement {
  const found = statements.get(name) ?? { name, text: build() };
  statements.set(name, found);
  return found;
}

/** A prepared statement, and the names of its parameters in the order of their numbers. */
export interface NamedStatement extends Statement {
  readonly parameters: readonly string[];
}

/** Numbers the parameters of a text, such as `$workspace_id`. */
export function named(name: string, text: string): NamedStatement {
  const parameters: string[] = [];
  const numbered = text.replaceAll(/\$([a-z]\w*)/g, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text: numbered, parameters };
}

/** The values of a statement's parameters. @throws TypeError when one is missing, which is a bug */
export function valuesOf(
  { parameters }: NamedStatement,
  values: Readonly<Record<string, unknown>>,
): unknown[] {
  return parameters.map((parameter) => {
    if (!(parameter in values)) throw new TypeError(`The parameter ${parameter} is missing`);
    return values[parameter];
  });
}
