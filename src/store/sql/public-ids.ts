// Public ids: six letters computed from an id and its type, twelve letters from 52^6 on. PostgreSQL writes them with the function
// `public_id` of the migrations. Here they are read with the inverse arithmetic, so that no table needs an index on them.

import { MAX_ID } from '../../cursors.ts';
import { NOUNS, type NounTable } from '../../resources/nouns.ts';

/** Tables with public ids. */
export type PublicIdTable = NounTable;

/** The numbers of the tables with public ids. */
export const TYPE_NUMBER = Object.fromEntries(NOUNS.map(({ table, number }) => [table, number])) as Readonly<
  Record<PublicIdTable, bigint>
>;

const LETTERS = 'RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU';
const BASE = 52n;
/** How many numbers six letters can express. */
const SIX = BASE ** 6n;
const FACTOR = 437_819_587n;
/** `FACTOR * INVERSE % SIX` is 1. */
const INVERSE = 17_492_363_243n;
const SHIFT = 13_240_378_023n;

/** The public id of a row, given an id from 1 to 2^63 - 1. */
export function toPublicId(table: PublicIdTable, id: bigint): string {
  const write = (number: bigint) => lettersOf((number * FACTOR + TYPE_NUMBER[table] * SHIFT) % SIX);
  const high = id / SIX;
  return high === 0n ? write(id) : write(high) + write((high + (id % SIX)) % SIX);
}

/** The id for a public id of the table; null for any other text. */
export function idOfPublicId(table: PublicIdTable, publicId: string): bigint | null {
  if (!/^(?:[A-Za-z]{6}){1,2}$/.test(publicId)) return null;
  const read = (letters: string) => (modulo(numberOf(letters) - TYPE_NUMBER[table] * SHIFT) * INVERSE) % SIX;
  const first = read(publicId.slice(0, 6));
  if (publicId.length === 6) return first === 0n ? null : first;
  const id = first * SIX + modulo(read(publicId.slice(6)) - first);
  return first === 0n || id > MAX_ID ? null : id;
}

/** The id for a client's text, which is an integer id or a public id of the table; null for anything else. */
export function parseId(table: PublicIdTable, text: string): bigint | null {
  if (!/^\d{1,19}$/.test(text)) return idOfPublicId(table, text);
  const id = BigInt(text);
  return id > MAX_ID ? null : id;
}

/** Least significant letter first. */
function lettersOf(number: bigint): string {
  let letters = '';
  for (let rest = number; letters.length < 6; rest /= BASE) letters += LETTERS[Number(rest % BASE)];
  return letters;
}

function numberOf(letters: string): bigint {
  return [...letters].reduceRight((sum, letter) => sum * BASE + BigInt(LETTERS.indexOf(letter)), 0n);
}

function modulo(number: bigint): bigint {
  return ((number % SIX) + SIX) % SIX;
}
