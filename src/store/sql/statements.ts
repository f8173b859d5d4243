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

/** The statement with a name; its text is built on first use. */
export type StatementOf = (name: string, build: () => string) => Statement;

/**
 * Remembers statements by their names. The code fixes the number of names, not clients. All that a text depends on besides the source of the
 * function that builds it is part of the name. Another function for the same name is a bug, a TypeError: one of the two texts would be
 * sent in place of the other.
 * @param make the statement of a name and a text
 */
export function rememberedStatements(make: (name: string, text: string) => Statement): StatementOf {
  const remembered = new Map<string, { statement: Statement; source: string }>();
  return (name, build) => {
    // Engines keep a function's source as a part of its file's: comparing two takes a fraction of what building a text does.
    const source = build.toString();
    const found = remembered.get(name);
    if (found?.source === source) return found.statement;
    if (found !== undefined) throw new TypeError(`Two statements are called ${name}`);
    const statement = make(name, build());
    remembered.set(name, { statement, source });
    return statement;
  };
}

/** The statement with a name, one for all callers in the process. */
export const statement = rememberedStatements((name, text) => ({ name, text: inWorkspace(text) }));

/**
 * Where the SQL of columns and conditions compares with the workspace of the row `t`. Each statement fills it in: the row says it, or it is
 * named where it is known, as some stores need it (shard-placement/).
 */
export const ROW_WORKSPACE = '$row_workspace';

/** Fills in `ROW_WORKSPACE`. @param workspace SQL; absent: the row says it */
export function inWorkspace(text: string, workspace = 't.workspace_id'): string {
  return text.replaceAll(ROW_WORKSPACE, workspace);
}

/** A prepared statement, and the names of its parameters in the order of their numbers. */
export interface NamedStatement extends Statement {
  readonly parameters: readonly string[];
}

/**
 * Numbers the parameters of a text, such as `$workspace_id`, in the order of their first use.
 * @param workspace what `ROW_WORKSPACE` stands for; absent: the row says it
 */
export function named(name: string, text: string, workspace?: string): NamedStatement {
  const parameters: string[] = [];
  const numbered = inWorkspace(text, workspace).replaceAll(/\$([a-z]\w*)/g, (_, parameter: string) => {
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
