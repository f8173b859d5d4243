// The code that a funnel, a page or a site adds to the head and the end of pages.
import type { Fields } from './description/fields.ts';

const CODE = {
  type: 'text',
  nullable: true,
  expand: true,
  writable: 'always',
  maxLength: 20_000,
} as const;

export const CODE_FIELDS = {
  headCode: { ...CODE, description: 'The code for the head of pages.' },
  footerCode: { ...CODE, description: 'The code for the end of pages.' },
} as const satisfies Fields;

const MODE = {
  type: 'text',
  values: ['append', 'replace'],
  // GraphQL has no field with these values.
  isCode: true,
} as const;

/** How a change sets each of those fields over REST. GraphQL replaces, and has other inputs that append. */
export const CODE_MODES = {
  headCodeMode: {
    ...MODE,
    modeOf: 'headCode',
    description: 'Whether a change appends to the existing head code, which is the default, or replaces it.',
  },
  footerCodeMode: {
    ...MODE,
    modeOf: 'footerCode',
    description:
      'Whether a change appends to the existing footer code, which is the default, or replaces it.',
  },
} as const satisfies Fields;
