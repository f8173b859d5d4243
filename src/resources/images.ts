// The image: a picture that the gateway fetches from a URL, stores, and serves.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
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
  description: `A picture of a workspace, which has at most ${MAX_IMAGES}. It is fetched from a URL soon after it was created, and then served by the gateway itself.`,
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'What it is called.',
    },
    altText: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 1_000,
      description: 'What it shows, for people who do not see it.',
    },
    url: {
      type: 'text',
      description:
        'Where the gateway serves the file, to anybody who knows this URL. Until it is fetched, and where it cannot be, nothing is there.',
    },
    uploadSourceUrl: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 2_000,
      description:
        'The http or https URL that the file is fetched from, at a public address: a PNG, JPEG, GIF, WebP or AVIF of at most 10 MB. It is fetched once, and again when it is changed, or given again after it failed; the `url` is then another one.',
    },
    status: {
      type: 'text',
      values: ['pending', 'ready', 'failed'],
      description:
        'Whether the file is still to be fetched, is there, or could not be fetched (then `error` says why).',
    },
    error: {
      type: 'text',
      nullable: true,
      description: 'Why the file could not be fetched; null otherwise.',
    },
    width: { type: 'int4', nullable: true, description: 'The width in pixels; null until it is ready.' },
    height: { type: 'int4', nullable: true, description: 'The height in pixels; null until it is ready.' },
    byteSize: {
      type: 'int4',
      nullable: true,
      description: 'The size of the file in bytes; null until it is ready.',
    },
    contentType: {
      type: 'text',
      nullable: true,
      values: IMAGE_TYPES,
      description: 'The media type of the file, recognized by its bytes; null until it is ready.',
    },
    createdAt: { type: 'timestamp', description: 'When the image was created.' },
    updatedAt: { type: 'timestamp', description: 'When the image was last changed, or fetched.' },
  },
  topic: 'image',
  sorts: ['updatedAt'],
});

export interface ImageRow extends Row<typeof image> {}
