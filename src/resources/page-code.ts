// The code that a funnel, a page or a site adds to the head and the end of pages.
import type { Fields } from './resource.ts';

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
  valueDescriptions: {
    append: 'A change appends to the existing code.',
    replace: 'A change replaces the existing code.',
  },
  valuesName: 'CodeMode',
} as const;

/** How a change sets each of those fields. */
export const CODE_MODES = {
  headCodeMode: {
    ...MODE,
    description: 'Whether a change appends to the existing head code, which is the default, or replaces it.',
  },
  footerCodeMode: {
    ...MODE,
    description:
      'Whether a change appends to the existing footer code, which is the default, or replaces it.',
  },
} as const satisfies Fields;
