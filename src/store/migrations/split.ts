// Splits a script into its statements. One PostgreSQL accepts a complete script; if tables are on several servers, each statement is sent
// separately (apply.ts). Pure.

/**
 * Text in which a semicolon does not end a statement: comments, string literals, quoted names, and dollar-quoted strings such as function
 * bodies. String literals with backslash escapes begin with `E`.
 */
const OPAQUE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|;/g;

/** Removes comments from a statement, including text that looks like one in its strings. */
export function withoutComments(statement: string): string {
  return statement.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim();
}

/** The statements of a script in order, without those that are only comments. */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let from = 0;
  const cut = (to: number) => {
    const statement = script.slice(from, to).trim();
    if (withoutComments(statement) !== '') statements.push(statement);
    from = to + 1;
  };
  for (const { 0: token, index } of script.matchAll(OPAQUE)) if (token === ';') cut(index);
  cut(script.length);
  return statements;
}
