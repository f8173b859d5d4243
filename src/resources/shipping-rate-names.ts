// The name of shipping rates, such as "Express".
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import { describe } from './description/resource.ts';
import { workspace } from './workspaces.ts';

export const shippingRateName = describe({
  type: 'ShippingRateName',
  title: 'Shipping rate name',
  table: 'shipping_rate_names',
  number: 41n,
  parent: workspace,
  plural: 'shippingRateNames',
  path: 'shipping/rates/names',
  wrapper: 'shipping_rates_name',
  scope: 'store',
  topic: 'shipping/rates/name',
  subjectType: 'Shipping::Rates::Name',
  verbs: ['create', 'update', 'remove'],
  description:
    'A shipping method, such as “Express”, that the rates of several zones can share. It cannot be deleted while a rate uses it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The name, unique in the workspace.',
    },
    createdAt: { type: 'timestamp', description: 'When the name was created.' },
    updatedAt: { type: 'timestamp', description: 'When the name was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
