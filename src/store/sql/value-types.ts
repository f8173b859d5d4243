// Converts values that node-postgres reads one by one.
import pg from 'pg';

/** Type parsers for node-postgres: 64-bit integers become bigints, so they stay exact. */
const INT8 = 20;
const INT8_ARRAY = 1016;
const parserOf: (oid: number, format?: 'text' | 'binary') => (text: string) => unknown =
  pg.types.getTypeParser;
const parseInt8Array = parserOf(INT8_ARRAY) as (text: string) => string[];
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return BigInt;
    if (oid === INT8_ARRAY) return (text: string) => parseInt8Array(text).map(BigInt);
    return parserOf(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};
