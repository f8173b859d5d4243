// The shipping profile: the costs of shipping certain variants.
import { variant } from './product-variants.ts';
import { describe, IDS, NAME, OF_WORKSPACE } from './resource.ts';
import { workspace } from './workspaces.ts';

export const shippingProfile = describe({
  type: 'ShippingProfile',
  title: 'Shipping profile',
  table: 'shipping_profiles',
  number: 37n,
  parent: workspace,
  plural: 'shippingProfiles',
  path: 'shipping/profiles',
  wrapper: 'shipping_profile',
  scope: 'store',
  topic: 'shipping/profile',
  subjectType: 'Shipping::Profile',
  verbs: ['create', 'update', 'remove'],
  description:
    'The shipping of some variants: its location groups have zones, and these have rates. It has one location group from the start. All of it is deleted with the profile.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    variantIds: {
      type: 'int8[]',
      refers: variant,
      writable: 'always',
      default: [],
      maxLength: 5_000,
      description: 'The integer ids of the variants that it is for. A variant is in one profile at most.',
    },
    createdAt: { type: 'timestamp', description: 'When the profile was created.' },
    updatedAt: { type: 'timestamp', description: 'When the profile was last changed.' },
  },
  sorts: ['updatedAt'],
});
