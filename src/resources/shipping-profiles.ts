// The shipping profile: the costs of shipping certain variants.
import { IDS, NAME, OF_WORKSPACE } from './description/common-fields.ts';
import { describe } from './description/resource.ts';
import { variant } from './product-variants.ts';
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
    'The shipping costs of certain variants. A profile has one location group from the start, whose zones have rates. The group, its zones and their rates are deleted with the profile.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    variantIds: {
      type: 'int8[]',
      refers: variant,
      paged: true,
      writable: 'always',
      default: [],
      maxLength: 5_000,
      description: 'The integer ids of the variants of the profile. A variant can be in at most one profile.',
    },
    createdAt: { type: 'timestamp', description: 'When the profile was created.' },
    updatedAt: { type: 'timestamp', description: 'When the profile was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
