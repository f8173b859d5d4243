// The demo's images, whose files are drawn here instead of fetched, its stores, and the tags of its orders.
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { ImageData, StoreData } from './data/shape.ts';
import { type Demo, idsByName, newRows } from './demo.ts';
import { type Named, requireNamed } from './named.ts';

const WIDTH = 160;
const HEIGHT = 120;

const AGE_DAYS = { image: 500, store: 480 };

/** Inserts the images; returns their ids by name. */
export async function insertImages(
  demo: Demo,
  workspaceId: bigint,
  images: readonly ImageData[],
): Promise<Named> {
  const { tx } = demo;
  const made = await newRows(demo, 'images', workspaceId, images, (index) =>
    demo.daysAgo(AGE_DAYS.image - index),
  );
  const rows = made.map(({ columns, data }) => {
    // The demo is the same every time, and anybody may see it.
    const fileToken = createHash('sha256').update(`${workspaceId} ${data.name}`).digest('hex');
    return { columns, fileToken, bytes: draw(data.sky, data.ground), data };
  });
  await tx.image.createMany({
    data: rows.map(({ columns, fileToken, bytes, data: { name, altText } }) => ({
      ...{ ...columns, fileToken, name, altText },
      uploadSourceUrl: `https://pictures.acme.example/${encodeURIComponent(name)}.png`,
      ...{ status: 'ready', contentType: 'image/png', width: WIDTH, height: HEIGHT },
      byteSize: bytes.length,
    })),
  });
  await tx.imageChunk.createMany({
    data: rows.map(({ columns, fileToken, bytes }) => ({
      ...{ workspaceId, imageId: columns.id, fileToken, number: 0, bytes },
    })),
  });
  return idsByName(made);
}

export async function insertStores(
  { tx, daysAgo }: Demo,
  workspaceId: bigint,
  stores: readonly StoreData[],
  imageIds: Named,
): Promise<void> {
  await tx.store.createMany({
    data: stores.map(({ socialImage, ...store }, index) => {
      const createdAt = daysAgo(AGE_DAYS.store - index);
      return {
        ...{ ...store, workspaceId, createdAt, updatedAt: createdAt },
        socialImageId: socialImage === undefined ? null : requireNamed(imageIds, 'image', socialImage),
      };
    }),
  });
}

/** Tags of orders, which stand on some of them. */
export async function insertOrderTags(
  { tx, daysAgo }: Demo,
  workspaceId: bigint,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  await tx.orderTag.createMany({
    data: Object.entries(tags).map(([name, color], index) => {
      const createdAt = daysAgo(AGE_DAYS.store - index);
      return { workspaceId, name, color, createdAt, updatedAt: createdAt };
    }),
  });
  await tx.$executeRaw`
    insert into order_applied_tags (workspace_id, order_id, tag_id, created_at)
    select o.workspace_id, o.id, t.id, o.created_at from orders o
    join order_tags t on t.workspace_id = o.workspace_id and o.id % 7 = t.id % 7
    where o.workspace_id = ${workspaceId} order by o.id, t.id`;
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
