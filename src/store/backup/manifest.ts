// The manifest, which is the first entry of a backup: its version, and the entries that follow. Pure.

/** A table with the copied columns, in the order of the copy. */
export interface TableManifest {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface Manifest {
  readonly format: 1;
  /** The version of the gateway that made it. */
  readonly gateway: string;
  readonly createdAt: string;
  /** The applied migrations, with the SHA-256 of their files. */
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  /** Ordered so that no row refers to a later table. */
  readonly tables: readonly TableManifest[];
  readonly sequences: readonly { readonly name: string; readonly value: string; readonly called: boolean }[];
  /** The files of the data folder in the backup. */
  readonly files: readonly string[];
}

/** The number of rows in a backup. */
export function rowsOf({ tables }: Pick<Manifest, 'tables'>): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** The files of the data folder that a backup can contain. */
export const FILES: readonly string[] = ['secret-key', 'demo-key', 'demo-password'];

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Parses an untrusted manifest. @throws Error that describes what is wrong */
export function parseBackupManifest(text: string): Manifest {
  const value: unknown = JSON.parse(text);
  const { format, gateway, createdAt, migrations, tables, sequences, files } = isObject(value) ? value : {};
  if (format !== 1) throw new Error('its format is not known to this version');
  const isRight =
    typeof gateway === 'string' &&
    typeof createdAt === 'string' &&
    isList(migrations, ({ name, checksum }) => isText(name) && isText(checksum)) &&
    isList(tables, ({ name, columns, rows }) => isName(name) && isNames(columns) && isCount(rows)) &&
    isList(
      sequences,
      ({ name, value, called }) =>
        isName(name) && typeof value === 'string' && /^\d{1,19}$/.test(value) && typeof called === 'boolean',
    ) &&
    Array.isArray(files) &&
    files.every((name) => FILES.includes(name));
  if (!isRight) throw new Error('its manifest is damaged');
  for (const names of [files, (tables as { name: string }[]).map(({ name }) => name)])
    if (new Set(names).size < names.length) throw new Error('its manifest names something twice');
  return value as unknown as Manifest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));
}

const isText = (value: unknown) => typeof value === 'string' && value !== '' && value.length <= 200;
const isName = (value: unknown) => typeof value === 'string' && NAME.test(value);
const isNames = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isName);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
