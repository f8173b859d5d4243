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
export type StatementOf = (name: string, build: () => string) => NamedStatement;

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
export function memoizedStatements(make: (name: string, text: string) => NamedStatement): StatementOf {
  const remembered = new Map<string, NamedStatement>();
  return (name, build) => {
    const found = remembered.get(name);
    if (found === undefined) {
      const made = make(name, build());
      remembered.set(name, made);
      return made;
    }
    if (comparesTexts && !isSame(make(name, build()), found))
      throw new TypeError(`Two statements are called ${name}`);
    return found;
  };
}

/** The statement with a name, one for all callers in the process. */
export const statement = memoizedStatements((name, text) => named(name, text));

const isSame = (one: NamedStatement, other: NamedStatement) =>
  one.text === other.text && String(one.parameters) === String(other.parameters);

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
export function numbered(name: string, text: string, workspace?: string): NamedStatement {
  const numbers = new Map<string, number>();
  const withNumbers = inWorkspace(text, workspace).replaceAll(/\$([a-z]\w*)/g, (_, parameter: string) => {
    const number = numbers.get(parameter) ?? numbers.size + 1;
    numbers.set(parameter, number);
    return `$${number}`;
  });
  return { name, text: withNumbers, parameters: [...numbers.keys()] };
}

/** The same for a statement that the code, not clients, determines: `titleOf` finds its name. */
export function named(name: string, text: string, workspace?: string): NamedStatement {
  const statement = numbered(name, text, workspace);
  nameOfText.set(statement.text, name);
  return statement;
}

/** The title of a statement in errors: its name, or the beginning of its text. Texts have placeholders, never values. */
export function titleOf(text: string): string {
  return nameOfText.get(text) ?? text.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TITLE_CHARS);
}

/** Values by the names of parameters. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Converts values to the array for a statement's parameters. It ignores values of other names.
 * @throws TypeError when one is missing, which is a bug
 */
export function valuesOf({ parameters }: NamedStatement, values: Values): unknown[] {
  return parameters.map((parameter) => {
    const value = values[parameter];
    if (value === undefined && !(parameter in values))
      throw new TypeError(`The parameter ${parameter} is missing`);
    return value;
  });
}
