// Puts configured values into the text of statements. Statements are built once for all stores of a process, so their text has a
// placeholder, which each connection replaces when it sends the text. A session setting would not work: behind a pooler, other processes
// would get it too.
import pg from 'pg';
import { protocolConnectionOf } from './rows-query.ts';

export interface SqlConstants {
  /** The origin of AUTH_URL, where files are served. */
  readonly authOrigin: string;
  /** The origin of a workspace's host, with `*` in place of its subdomain; null where workspaces have no hosts. */
  readonly workspaceOrigin: string | null;
}

/** The configuration of a connection that can execute the statements of nouns. */
export interface ConnectionConfig extends pg.ClientConfig {
  readonly sqlConstants?: SqlConstants;
}

/** The SQL of a constant. */
export const sqlConstant = (name: keyof SqlConstants): string => `'{${name}}'`;

const MARK = /'\{(authOrigin|workspaceOrigin)\}'/g;

/** The constants of each connection. */
const constantsOf = new WeakMap<object, SqlConstants>();

/** Makes a client replace the placeholders. Must be called before it connects. */
export function replaceConstants(client: pg.Client, { sqlConstants }: ConnectionConfig): void {
  if (sqlConstants === undefined) return;
  const connection = protocolConnectionOf(client);
  const parse = connection.parse.bind(connection);
  const query = connection.query.bind(connection);
  constantsOf.set(connection, sqlConstants);
  connection.parse = (statement) => parse({ ...statement, text: textFor(connection, statement.text) });
  connection.query = (text) => query(textFor(connection, text));
}

/** The text to send over a connection, for code that writes the messages itself. */
export function textFor(connection: object, text: string): string {
  const constants = constantsOf.get(connection);
  if (constants === undefined) return text;
  return text.replaceAll(MARK, (_, name: keyof SqlConstants) => {
    const value = constants[name];
    return value === null ? 'null::text' : pg.escapeLiteral(value);
  });
}
