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
  headCode: { ...CODE, description: 'Code for the head of pages.' },
  footerCode: { ...CODE, description: 'Code for the foot of pages.' },
} as const satisfies Fields;

const MODE = { type: 'text', values: ['append', 'replace'], valuesName: 'CodeMode' } as const;

/** How a change sets each of those fields. */
export const CODE_MODES = {
  headCodeMode: {
    ...MODE,
    description:
      'Whether a change appends the code for the head to that which is there, as without this, or replaces it.',
  },
  footerCodeMode: {
    ...MODE,
    description:
      'Whether a change appends the code for the foot to that which is there, as without this, or replaces it.',
  },
} as const satisfies Fields;
