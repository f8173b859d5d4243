// Reads the files of images, in parts, for anybody who has an image's token.
import { type Found, lookup } from '../reading/lookup.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** The size of the parts in which files are stored. The last part of a file may be smaller. */
export const CHUNK_BYTES = 256 * 1024;

/** Finds a file by the id of its workspace and its token. @throws AppError `unavailable` */
export const findImageFile = lookup(
  'images.file',
  {
    workspaceId: 'int8',
    imageId: { type: 'int8', sql: 't.id' },
    fileToken: 'text',
    contentType: 'text',
    byteSize: 'int4',
  },
  (select) =>
    `select ${select} from images t where t.workspace_id = $1::bigint and t.file_token = $2 and t.status = 'ready'`,
);

/** The properties of a stored file. */
export type ImageFile = Found<typeof findImageFile>;

const CHUNK = statement(
  'image_chunks.one',
  () => `select c.bytes from image_chunks c
    where c.workspace_id = $1::bigint and c.image_id = $2::bigint and c.file_token = $3 and c.number = $4::int`,
);

/** A part of a file; null once the image was deleted, or has another file. @throws AppError `unavailable` */
export async function readChunk(
  db: Pick<Store, 'pool'>,
  { workspaceId, imageId, fileToken }: ImageFile,
  number: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const [chunk] = await query<{ bytes: Buffer<ArrayBuffer> }>(db, CHUNK, [
    workspaceId,
    imageId,
    fileToken,
    number,
  ]);
  return chunk?.bytes ?? null;
}
