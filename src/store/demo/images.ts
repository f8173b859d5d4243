// The demo's images, whose files are drawn here instead of fetched, and its stores.
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { type Filling, zip } from './demo.ts';

const WIDTH = 160;
const HEIGHT = 120;

/** Inserts the images, and the stores that show them. */
export async function insertImages({ tx, workspaceId, insert, idOf, data }: Filling): Promise<void> {
  const { images = [], stores = [] } = data;
  // The demo is the same every time, and anybody may see it.
  const tokenOf = (name: string) => createHash('sha256').update(`${workspaceId} ${name}`).digest('hex');
  const files = images.map(({ name, sky, ground }) => ({
    fileToken: tokenOf(name),
    bytes: draw(sky, ground),
  }));
  const made = await insert('Image', zip(images, files), ([{ name, altText }, { fileToken, bytes }]) => ({
    ...{ fileToken, name, altText, status: 'ready', contentType: 'image/png', width: WIDTH, height: HEIGHT },
    uploadSourceUrl: `https://pictures.acme.example/${encodeURIComponent(name)}.png`,
    byteSize: bytes.length,
  }));
  await tx.imageChunk.createMany({
    data: made.map(({ id: imageId, data: [, file] }) => ({ ...file, workspaceId, imageId, number: 0 })),
  });
  await insert('Store', stores, ({ socialImage, ...store }) => ({
    ...store,
    socialImageId: socialImage === undefined ? null : idOf('Image', socialImage),
  }));
}

/** A PNG (W3C PNG 3) of a hill below the sky. @param sky, ground colours as `rrggbb` */
function draw(sky: string, ground: string): Uint8Array<ArrayBuffer> {
  const [above, below] = [sky, ground].map((color) => Buffer.from(color, 'hex')) as [Buffer, Buffer];
  const rows = Array.from({ length: HEIGHT }, (_, y) => [
    // Its filter: none.
    Buffer.from([0]),
    ...Array.from({ length: WIDTH }, (_, x) =>
      y > 80 - 40 * Math.sin((Math.PI * x) / WIDTH) ? below : above,
    ),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
