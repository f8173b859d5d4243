// Cuts a script into its statements. PostgreSQL takes a script whole; Citus hands some statements on to its workers with all that was sent
// with them, so that there each is sent alone. Pure.

/**
 * What a semicolon says nothing in: comments, texts, quoted names, and texts between dollars, such as the bodies of functions. Texts with
 * backslashes before quotes are told by the `E` before them.
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
