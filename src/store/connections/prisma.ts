// Creates Prisma's client and names its prepared statements. The number of names is limited, and clients cannot exhaust it.
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '#prisma';
import { interactiveLimits } from './time-limits.ts';

/** Beyond this many different texts, statements are not prepared: each prepared statement takes memory on every connection. */
const MAX_STATEMENT_NAMES = 500;
/** Matches lists of values or rows. Each list length is a different text, and clients choose the length. */
const LISTS = /\bin \(\$\d+,|\), ?\(\$/i;

/** Names statements by their text. Prisma prepares only named statements. */
export function createStatementNames(): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= MAX_STATEMENT_NAMES || LISTS.test(sql)) return '';
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
}

/** A client over the pool's connections. */
export function createPrisma(pool: pg.Pool, statementTimeoutMs: number): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: createStatementNames() }),
    transactionOptions: interactiveLimits(statementTimeoutMs),
  });
}
