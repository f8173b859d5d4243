// The image: a picture that the gateway fetches from a URL, stores, and serves.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { workspace } from './workspaces.ts';

/** The media types of pictures that browsers can show. */
const IMAGE_TYPES = ['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'] as const;

/** The most images per workspace: workers search for images to fetch every second. */
const MAX_IMAGES = 10_000;

export const image = describe({
  type: 'Image',
  title: 'Image',
  table: 'images',
  number: 23n,
  parent: workspace,
  plural: 'images',
  path: 'images',
  scope: 'store',
  verbs: ['create', 'update', 'remove'],
  most: MAX_IMAGES,
  wrapper: 'image',
  description: `A picture of a workspace. The gateway fetches it from a URL soon after its creation, and then serves it. A workspace can have at most ${MAX_IMAGES} images.`,
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The name of the image.',
    },
    altText: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 1_000,
      description: 'The alternative text, for people who cannot see the image.',
    },
    url: {
      type: 'text',
      description:
        'The URL from which the gateway serves the file to anyone. There is no file until it is fetched, or if that fails.',
    },
    uploadSourceUrl: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 2_000,
      description:
        'The http or https URL from which the gateway fetches the file, at a public address: a PNG, JPEG, GIF, WebP or AVIF of at most 10 MB.',
      rule: 'The gateway fetches it once, and again if the URL is changed, or is sent again after a failure; the `url` then changes.',
    },
    status: {
      type: 'text',
      values: ['pending', 'ready', 'failed'],
      valueDescriptions: {
        pending: 'The file is not fetched yet.',
        ready: 'The file was fetched and is served.',
        failed: 'The file could not be fetched.',
      },
      description: 'The status of the file. If it could not be fetched, `error` says why.',
    },
    error: {
      type: 'text',
      nullable: true,
      description: 'Why the file could not be fetched; otherwise null.',
    },
    width: {
      type: 'int4',
      nullable: true,
      description: 'The width in pixels; null until the file is fetched.',
    },
    height: {
      type: 'int4',
      nullable: true,
      description: 'The height in pixels; null until the file is fetched.',
    },
    byteSize: {
      type: 'int4',
      nullable: true,
      description: 'The size of the file in bytes; null until the file is fetched.',
    },
    contentType: {
      type: 'text',
      nullable: true,
      values: IMAGE_TYPES,
      description: 'The media type of the file, detected from its content; null until the file is fetched.',
    },
    createdAt: { type: 'timestamp', description: 'When the image was created.' },
    updatedAt: { type: 'timestamp', description: 'When the image was last changed or fetched.' },
  },
  topic: 'image',
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['name'],
});

export interface ImageRow extends Row<typeof image> {}
