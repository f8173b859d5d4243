// What axe finds in GraphiQL's own widgets, which take no markup of ours.
import type { AxeException } from './axe.ts';

export const WIDGETS: readonly AxeException[] = [
  {
    rule: 'nested-interactive',
    within: '.graphiql-tabs',
    reason: 'framer-motion makes each tab a focusable list item around its two buttons',
  },
  {
    rule: 'region',
    within: '[data-radix-popper-content-wrapper]',
    reason: 'Radix puts an open menu at the end of the body, with the button that opened it as its label',
  },
];
