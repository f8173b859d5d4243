// Positions in the log (WAL) of a database. A replica that has replayed a position has everything that was committed before it was read.
// Positions of another cluster are meaningless. Positions of an earlier timeline are compared unchanged: what was committed before the new
// timeline began is in both, and the rest is lost.

/** A position in the log of one cluster. */
export interface Position {
  /** The cluster's system identifier, in 16 hexadecimal digits. */
  readonly system: string;
  readonly timeline: number;
  readonly log: bigint;
}

/** The number of hexadecimal digits of each part of a token, which is a position as text. */
const DIGITS = { system: 16, timeline: 8, log: 16 } as const;
const TOKEN = new RegExp(`^[0-9a-f]{${DIGITS.system + DIGITS.timeline + DIGITS.log}}$`);
/** A position that no replica has reached, so that the primary answers. */
export const UNREACHED: Position = { system: '', timeline: 0, log: 0n };

/** The system identifier of a cluster, as SQL. */
export const SYSTEM = `lpad(to_hex((select system_identifier from pg_control_system())), ${DIGITS.system}, '0')`;

/** The current position of a primary's log as a token; evaluated when the column is computed. */
export const POSITION = `lower(${SYSTEM}
  || substr(pg_walfile_name(pg_current_wal_lsn()), 1, ${DIGITS.timeline})
  || lpad(to_hex((pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint), ${DIGITS.log}, '0'))`;

/** The position in a token; null if the text is not a token. */
export function parseToken(token: string): Position | null {
  if (!TOKEN.test(token)) return null;
  const behindSystem = DIGITS.system + DIGITS.timeline;
  return {
    system: token.slice(0, DIGITS.system),
    timeline: Number.parseInt(token.slice(DIGITS.system, behindSystem), 16),
    log: BigInt(`0x${token.slice(behindSystem)}`),
  };
}

/** A position in PostgreSQL's notation, `16/B374D848`; null for anything else. */
export function parseLog(text: string): bigint | null {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/.exec(text) ?? [];
  if (high === undefined || low === undefined) return null;
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** The header of a page of the log. */
const PAGE = { bytes: 8192n, header: 24n };

/** Subtracts a page header after which nothing has been written yet: a replica that has replayed everything stops before that header. */
export function beforeHeader(log: bigint): bigint {
  return log % PAGE.bytes === PAGE.header ? log - PAGE.header : log;
}
