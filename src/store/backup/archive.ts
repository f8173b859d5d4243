// The file format of a backup: a tar of small entries, compressed by gzip. First the manifest, then files of the data folder, then the
// tables in pieces, and last a SHA-256 of each of these; without the last entry, the file is truncated. The file is untrusted: each entry
// must be exactly the expected next one, so that no link, path or unknown file is ever followed. Memory is bounded.
import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry, packTar } from 'modern-tar';
import { type Manifest, parseBackupManifest } from './manifest.ts';

/** The content of a backup. */
export interface ArchiveContent {
  readonly manifest: Manifest;
  /** The content of the manifest's files, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** The rows of a table, in PostgreSQL's text format of COPY. */
  copy(table: string): AsyncIterable<Buffer>;
}

const MANIFEST = 'manifest.json';
const CHECKSUMS = 'checksums.json';
const PIECE_BYTES = 1_048_576;
const MAX_BYTES = { [MANIFEST]: 8_388_608, [CHECKSUMS]: 1_048_576, file: 4_096, piece: 16_777_216 };
const BLOCK = 512;

const pieceName = (table: string, number: number) =>
  `tables/${table}/${String(number).padStart(8, '0')}.copy`;

/** Writes a backup to an open file, and closes it after everything is on the disk. */
export async function writeArchive(
  file: FileHandle,
  content: ArchiveContent,
  signal: AbortSignal,
): Promise<void> {
  const out = file.createWriteStream({ flush: true });
  await pipeline(Readable.from(writeTar(content)), createGzip(), out, { signal });
}

async function* writeTar({ manifest, files, copy }: ArchiveContent): AsyncGenerator<Uint8Array> {
  const hashes = new Map<string, Hash>();
  async function entry(group: string, name: string, data: Buffer): Promise<Uint8Array> {
    hashOf(hashes, group).update(data);
    return toTar(name, data);
  }
  yield entry(MANIFEST, MANIFEST, Buffer.from(JSON.stringify(manifest)));
  for (const name of manifest.files)
    yield entry(`files/${name}`, `files/${name}`, Buffer.from(files.get(name) ?? ''));
  for (const { name } of manifest.tables) {
    let number = 0;
    for await (const piece of inPieces(copy(name))) yield entry(name, pieceName(name, ++number), piece);
  }
  yield toTar(CHECKSUMS, Buffer.from(JSON.stringify(digestsOf(hashes))));
  yield new Uint8Array(2 * BLOCK);
}

/** Makes one entry, without the two blocks that end an archive. */
async function toTar(name: string, data: Buffer): Promise<Uint8Array> {
  const header = { name, size: data.length, type: 'file', mode: 0o600 } as const;
  const archive = await packTar([{ header, body: data }]);
  return archive.subarray(0, BLOCK + Math.ceil(data.length / BLOCK) * BLOCK);
}

async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(parts);
}

/** Reads a backup sequentially. */
export interface ArchiveReader {
  readonly manifest: Manifest;
  readonly files: ReadonlyMap<string, string>;
  /** The rows of a table. Tables must be read completely, and in the order of the manifest. */
  copy(table: string): AsyncGenerator<Buffer>;
  /** Must be called after the last table. @throws Error unless everything that was read equals what was written */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Reads a backup up to its tables. @throws Error that describes what is wrong with the file */
export async function readArchive(file: FileHandle): Promise<ArchiveReader> {
  const gunzip = createGunzip();
  // The gunzip stream reports the same failure.
  pipeline(file.createReadStream({ start: 0, autoClose: false }), gunzip).catch(() => {});
  const stream = Readable.toWeb(gunzip) as ReadableStream<Uint8Array>;
  const entries = stream.pipeThrough(createTarDecoder({ strict: true })).getReader();
  const hashes = new Map<string, Hash>();
  let next: ParsedTarEntry | undefined;

  async function peek(): Promise<ParsedTarEntry | undefined> {
    next ??= (await entries.read()).value;
    return next;
  }

  /** Reads the next entry, which must be a plain file of this name. */
  async function take(name: string, maxBytes: number, group: string | null): Promise<Buffer> {
    const entry = await peek();
    next = undefined;
    if (entry === undefined) throw new Error(`it ends before its entry ${name}`);
    const { header, body } = entry;
    if (header.name !== name || header.type !== 'file' || header.linkname)
      throw new Error(`it holds ${printable(header.name)} where ${name} belongs`);
    if (header.size > maxBytes) throw new Error(`its entry ${name} is too large`);
    const data = await buffer(body);
    if (group !== null) hashOf(hashes, group).update(data);
    return data;
  }

  try {
    const manifest = parseBackupManifest(`${await take(MANIFEST, MAX_BYTES[MANIFEST], MANIFEST)}`);
    const files = new Map<string, string>();
    for (const name of manifest.files)
      files.set(name, `${await take(`files/${name}`, MAX_BYTES.file, `files/${name}`)}`);
    return {
      manifest,
      files,
      async *copy(table) {
        for (let number = 1; ; number++) {
          const name = pieceName(table, number);
          if ((await peek())?.header.name !== name) return;
          yield await take(name, MAX_BYTES.piece, table);
        }
      },
      async finish() {
        const written: unknown = JSON.parse(`${await take(CHECKSUMS, MAX_BYTES[CHECKSUMS], null)}`);
        if (JSON.stringify(written) !== JSON.stringify(digestsOf(hashes)))
          throw new Error('what is in it is not what was written (checksum)');
        const more = await peek();
        if (more !== undefined) throw new Error(`${printable(more.header.name)} comes after its end`);
      },
      async close() {
        gunzip.destroy();
        await entries.cancel().catch(() => {});
      },
    };
  } catch (error) {
    gunzip.destroy();
    throw error;
  }
}

function hashOf(hashes: Map<string, Hash>, group: string): Hash {
  const known = hashes.get(group);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  hashes.set(group, hash);
  return hash;
}

function digestsOf(hashes: ReadonlyMap<string, Hash>): Record<string, string> {
  return Object.fromEntries([...hashes].map(([group, hash]) => [group, hash.copy().digest('hex')]));
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
