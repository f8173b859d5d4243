// Splits a script into its statements. PostgreSQL accepts a whole script. Where tables are on several servers, each
// statement is sent on its own (apply.ts). Pure.

/**
 * Text in which a semicolon ends no statement: comments, string literals, quoted names, and dollar-quoted strings such as function bodies.
 * String literals with backslash escapes begin with `E`.
 */
const OPAQUE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|;/g;

/** A statement without its comments; also without what looks like one in its texts. */
export function withoutComments(statement: string): string {
  return statement.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim();
}

/** The statements of a script, in their order, without what only comments. */
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
