// Prisma's client, and the names under which its statements are prepared: their number is bounded, and clients cannot exhaust it.
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '#prisma';
import { interactiveLimits } from './time-limits.ts';

/** With more different texts than this, further statements are not prepared: each prepared statement takes memory on every connection. */
const MAX_STATEMENT_NAMES = 500;
/** Matches lists of values or rows. Each list length is a different text, and clients choose the length. */
const LISTS = /\bin \(\$\d+,|\), ?\(\$/i;

/** Names statements for Prisma, which prepares none without a name. Statements are the same if their texts are. */
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
