// The files of images, for anybody who has their URL: the token in it is the permission.
import type { App } from '../../context.ts';
import { findImageFile, type ImageFile, readChunk } from '../../store/images/image-files.ts';

export type { ImageFile };

/**
 * Finds a file by the parts of its URL; null if there is none, or it is not fetched yet.
 * @throws AppError `unavailable`
 */
export function findFile(
  { store }: Pick<App, 'store'>,
  workspaceId: string,
  token: string,
): Promise<ImageFile | null> {
  const isOne = /^\d{1,18}$/.test(workspaceId) && /^[\da-f]{64}$/.test(token);
  return isOne ? findImageFile(store, [workspaceId, token]) : Promise.resolve(null);
}

/** Reads a file part by part; it ends early if the image is deleted meanwhile. @throws AppError `unavailable` */
export async function* readFile(
  { store }: Pick<App, 'store'>,
  file: ImageFile,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  for (let number = 0; bytes < file.byteSize; number++) {
    const chunk = await readChunk(store, file, number);
    if (chunk === null) return;
    bytes += chunk.length;
    yield chunk;
  }
}
