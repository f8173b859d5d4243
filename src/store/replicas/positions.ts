// Where the log (WAL) of a database was. A replica that has replayed a position has everything that was committed before it was asked
// for. Positions of another cluster say nothing; those of an earlier timeline count as they are: what was committed up to where the
// new one begins is in both, and the rest is nowhere any more.

/** A position in the log of one cluster. */
export interface Position {
  /** The cluster's system identifier, in 16 hexadecimal digits. */
  readonly system: string;
  readonly timeline: number;
  readonly log: bigint;
}

/** The hexadecimal digits of a token, which is a position as text. Of two tokens of one cluster the later one is the greater text. */
export const DIGITS = { system: 16, timeline: 8, log: 16 } as const;
const TOKEN = new RegExp(`^[0-9a-f]{${DIGITS.system + DIGITS.timeline + DIGITS.log}}$`);
/** What no server has: the primary answers. */
export const NOWHERE: Position = { system: '', timeline: 0, log: 0n };

/** The system identifier of a cluster, as SQL. */
export const SYSTEM = `lpad(to_hex((select system_identifier from pg_control_system())), ${DIGITS.system}, '0')`;

/** Where a primary's log is when this column of a statement is computed, as a token. */
export const POSITION = `lower(${SYSTEM}
  || substr(pg_walfile_name(pg_current_wal_lsn()), 1, ${DIGITS.timeline})
  || lpad(to_hex((pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint), ${DIGITS.log}, '0'))`;

/** The later one of two tokens, as SQL; of two clusters the new one: what is known of another one is no use any more. */
export function later(known: string, token: string): string {
  const [one, other] = [known, token].map((text) => `left(${text}, ${DIGITS.system})`);
  return `case when ${one} = ${other} then greatest(${known}, ${token}) else ${token} end`;
}

/** The position of a token; null for what is none. */
export function parseToken(token: string): Position | null {
  if (!TOKEN.test(token)) return null;
  const behindSystem = DIGITS.system + DIGITS.timeline;
  return {
    system: token.slice(0, DIGITS.system),
    timeline: Number.parseInt(token.slice(DIGITS.system, behindSystem), 16),
    log: BigInt(`0x${token.slice(behindSystem)}`),
  };
}

/** A position as PostgreSQL writes it, `16/B374D848`; null for anything else. */
export function parseLog(text: string): bigint | null {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/.exec(text) ?? [];
  if (high === undefined || low === undefined) return null;
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** The header of a page of the log. */
const PAGE = { bytes: 8192n, header: 24n };

/** A position without the header of a page on which nothing is yet: a replica that has replayed everything stands before that. */
export function beforeHeader(log: bigint): bigint {
  return log % PAGE.bytes === PAGE.header ? log - PAGE.header : log;
}
