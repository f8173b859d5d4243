// A table as CSV (RFC 4180). Pure.
import { type Cell, isNumeric, type Table } from './lists.ts';

/** What a spreadsheet takes as the beginning of a formula, or of one after white space. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

export function toCsv({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string {
  return [columns, ...rows].map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  // Spreadsheets show the text after an apostrophe as it is.
  const harmless = FORMULA.test(text) && !isNumeric(cell) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
