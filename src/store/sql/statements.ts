// Prepared statements by name. A statement's text is built once per process, and prepared once per connection.

/** The names of statements by their texts. */
const nameOfText = new Map<string, string>();
const MAX_TITLE_CHARS = 100;

/** A prepared statement. Statements of the same name have the same text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /**
   * Whether clients can request many such statements, through projections (projections.ts) or filters (selections.ts). A connection keeps a
   * limited number of these.
   */
  readonly isProjection?: boolean;
}

/** The statement with a name; its text is built on first use. */
export type StatementOf = (name: string, build: () => string) => Statement;

/** Whether each use of a name compares its text with the first one. */
let comparesTexts = false;

/**
 * Makes each use of a statement's name build the text again, and throw TypeError if it differs. For tests: if one name had two texts, one
 * would be sent in place of the other.
 */
export function compareTexts(isOn: boolean): void {
  comparesTexts = isOn;
}

/**
 * Memoizes statements by name. The code, not clients, determines the number of names. A name contains everything that its text depends on;
 * the tests check that (`compareTexts`).
 * @param make makes a statement from a name and a text
 */
export function rememberedStatements(make: (name: string, text: string) => Statement): StatementOf {
  const remembered = new Map<string, Statement>();
  return (name, build) => {
    const found = remembered.get(name);
    if (found === undefined) {
      const made = make(name, build());
      remembered.set(name, made);
      return made;
    }
    if (comparesTexts && make(name, build()).text !== found.text)
      throw new TypeError(`Two statements are called ${name}`);
    return found;
  };
}

/** The statement with a name, one for all callers in the process. */
export const statement = rememberedStatements((name, built) => {
  const text = inWorkspace(built);
  nameOfText.set(text, name);
  return { name, text };
});

/**
 * A placeholder, in the SQL of columns and conditions, for the workspace of the row `t`. Each statement replaces it: by the row's own
 * column, or by a parameter if the workspace is known, as some stores need it (shard-placement/).
 */
export const ROW_WORKSPACE = '$row_workspace';

/** Replaces `ROW_WORKSPACE`. @param workspace SQL; absent: the row's own column */
export function inWorkspace(text: string, workspace = 't.workspace_id'): string {
  return text.replaceAll(ROW_WORKSPACE, workspace);
}

/** A prepared statement, and the names of its parameters in the order of their numbers. */
export interface NamedStatement extends Statement {
  readonly parameters: readonly string[];
}

/**
 * Numbers the parameters of a text, such as `$workspace_id`, in the order of their first use.
 * @param workspace what replaces `ROW_WORKSPACE`; absent: the row's own column
 */
export function named(name: string, text: string, workspace?: string): NamedStatement {
  const parameters: string[] = [];
  const numbered = inWorkspace(text, workspace).replaceAll(/\$([a-z]\w*)/g, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  nameOfText.set(numbered, name);
  return { name, text: numbered, parameters };
}

/** The title of a statement in errors: its name, or the beginning of its text. Texts have placeholders, never values. */
export function titleOf(text: string): string {
  return nameOfText.get(text) ?? text.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TITLE_CHARS);
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
