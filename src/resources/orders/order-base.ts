// The fields of an order that its invoices include too.
import { contact } from '../contacts.ts';
import { ALWAYS_NULL_TEXT, IDS } from '../description/common-fields.ts';
import type { AddressOf, Fields } from '../description/fields.ts';
import { AMOUNT, IDS_AND_NAME } from './order-parts.ts';
import {
  BILLING_STATUSES,
  BILLING_TRANSITIONS,
  ORDER_TYPES,
  SERVICE_STATUSES,
  SERVICE_TRANSITIONS,
} from './order-statuses.ts';
import { orderTag } from './order-tags.ts';

/** A text that is personal data of the buyer. */
const PERSONAL = {
  type: 'text',
  nullable: true,
  writable: 'always',
  maxLength: 2_000,
  personal: true,
} as const;

const SHIPPING = { name: 'shippingAddress', description: 'The address to which the goods are shipped.' };

const BILLING = { name: 'billingAddress', description: 'The address of whoever pays.' };

/** A part of an address, as the buyer entered it. */
const partOf = (of: AddressOf, part: string, description: string) => ({
  ...PERSONAL,
  address: { of, part },
  description,
});

const ADDRESSES = {
  shippingAddressFirstName: partOf(SHIPPING, 'firstName', 'The first name in the shipping address.'),
  shippingAddressLastName: partOf(SHIPPING, 'lastName', 'The last name in the shipping address.'),
  shippingAddressOrganizationName: partOf(
    SHIPPING,
    'organizationName',
    'The organization in the shipping address.',
  ),
  shippingAddressPhoneNumber: partOf(SHIPPING, 'phoneNumber', 'The phone number in the shipping address.'),
  shippingAddressStreetOne: partOf(SHIPPING, 'streetOne', 'The first street line of the shipping address.'),
  shippingAddressStreetTwo: partOf(SHIPPING, 'streetTwo', 'The second street line of the shipping address.'),
  shippingAddressCity: partOf(SHIPPING, 'city', 'The city of the shipping address.'),
  shippingAddressRegion: partOf(SHIPPING, 'region', 'The region or state of the shipping address.'),
  shippingAddressCountry: partOf(SHIPPING, 'country', 'The country of the shipping address.'),
  shippingAddressPostalCode: partOf(SHIPPING, 'postalCode', 'The postal code of the shipping address.'),
  billingAddressStreetOne: partOf(BILLING, 'streetOne', 'The first street line of the billing address.'),
  billingAddressStreetTwo: partOf(BILLING, 'streetTwo', 'The second street line of the billing address.'),
  billingAddressCity: partOf(BILLING, 'city', 'The city of the billing address.'),
  billingAddressRegion: partOf(BILLING, 'region', 'The region or state of the billing address.'),
  billingAddressCountry: partOf(BILLING, 'country', 'The country of the billing address.'),
  billingAddressPostalCode: partOf(BILLING, 'postalCode', 'The postal code of the billing address.'),
} as const satisfies Fields;

const STATUS = { type: 'text', writable: 'always' } as const;

const TIME = { type: 'timestamp', nullable: true, writable: 'always' } as const;

/** The fields of an order that its invoices include too. */
export const ORDER_BASE = {
  ...IDS,
  orderNumber: {
    type: 'int4',
    restAsText: true,
    description: 'The number of the order. Orders of a workspace are numbered consecutively.',
  },
  orderType: {
    graphqlName: 'type',
    type: 'text',
    values: ORDER_TYPES,
    valueNames: { 'one-time-order': 'one-time', 'subscription-order': 'subscription' },
    valueDescriptions: {
      'one-time-order': 'An order that is paid once.',
      'subscription-order': 'A subscription, which is paid in every period.',
    },
    writable: 'at_creation',
    required: true,
    description: 'Whether the order is a one-time sale or a subscription.',
  },
  liveMode: {
    graphqlName: 'isLive',
    type: 'bool',
    writable: 'at_creation',
    required: true,
    description: 'Whether this is a real order rather than a test.',
  },
  totalAmount: {
    ...AMOUNT,
    description:
      'The total of the order, including tax: for each line the unit price (or the trial price) times the quantity, plus the setup amount.',
  },
  billingStatus: {
    ...STATUS,
    values: BILLING_STATUSES,
    valueDescriptions: {
      draft: 'The invoices are drafts: the buyer owes nothing yet.',
      pending: 'The order waits for its first payment.',
      unpaid: 'An invoice is not paid in full.',
      'past-due': 'An invoice was not paid by its due date.',
      paid: 'All that was billed is paid.',
      'partially-refunded': 'Part of the payments was refunded.',
      disputed: 'The buyer disputes a payment.',
      refunded: 'The payments were refunded in full.',
      voided: 'The invoices were voided or abandoned.',
    },
    transitions: BILLING_TRANSITIONS,
    description: 'The billing status, which summarizes the invoices.',
    rule: 'Setting it changes the invoices to which it applies. By default `pending`, or `paid` for a one-time order that costs nothing.',
  },
  serviceStatus: {
    ...STATUS,
    values: SERVICE_STATUSES,
    valueDescriptions: {
      pending: 'The service has not begun, usually because a payment is missing.',
      active: 'The subscription runs, and renews at its next charge.',
      paused: 'The subscription is paused: it does not renew until it is active again.',
      suspended: 'The buyer does not get the service for now, but the subscription still renews.',
      canceled:
        'The order was canceled: goods of a one-time order are not shipped, and a subscription does not renew.',
      churned: 'The subscription ended for lack of payment.',
      completed: 'The order is finished: a one-time order was paid, or a subscription has reached its end.',
      abandoned: 'The buyer left before paying. Goods of a one-time order are not shipped.',
      voided: 'The order was declared void. Goods of a one-time order are not shipped.',
    },
    transitions: SERVICE_TRANSITIONS,
    description:
      'The service status: whether the buyer gets the goods or the service. Once paid, a one-time order becomes `completed` and a subscription `active`. A subscription is also `active` in its trial.',
    rule: 'By default `pending`.',
  },
  inTrial: {
    graphqlName: 'isInTrial',
    type: 'bool',
    description: 'Whether the subscription is in its trial.',
  },
  trialEndAt: { type: 'timestamp', nullable: true, description: 'When the trial ends or ended.' },
  activatedAt: { ...TIME, description: 'When the service began.' },
  canceledAt: { ...TIME, description: 'When the order was canceled.' },
  canceledBy: {
    ...PERSONAL,
    description: 'Who canceled the order: `API` if the request to cancel it was used.',
  },
  cancelReason: {
    type: 'text',
    nullable: true,
    writable: 'always',
    personal: true,
    values: [
      ...['customer_service', 'low_quality', 'missing_features', 'other', 'switched_service', 'too_complex'],
      ...['too_expensive', 'unused', 'did-not-use', 'did-not-want', 'missing-features', 'too-expensive'],
      'bugs-or-problems',
    ],
    valueDescriptions: {
      customer_service: 'The customer service was not good enough.',
      low_quality: 'The quality was not good enough.',
      missing_features: 'The buyer needed features that were missing.',
      other: 'There was another reason, or none was given.',
      switched_service: 'The buyer has switched to another service.',
      too_complex: 'It was too complex for the buyer.',
      too_expensive: 'It was too expensive for the buyer.',
      unused: 'The buyer did not use it.',
      'did-not-want': 'The buyer did not want it.',
      'bugs-or-problems': 'There were bugs or other problems.',
    },
    spellings: {
      'did-not-use': 'unused',
      'missing-features': 'missing_features',
      'too-expensive': 'too_expensive',
    },
    description: 'The reason for the cancellation. `other` if a subscription is canceled without a reason.',
  },
  cancelDescription: { ...PERSONAL, description: 'The reason for the cancellation, in words.' },
  churnedAt: {
    ...TIME,
    description:
      'When the service ended for lack of payment. A canceled subscription ends when the paid period ends.',
  },
  nextChargeAt: {
    ...TIME,
    description: 'When the subscription is charged next.',
    rule: 'By default at the end of its trial or first period.',
  },
  recurringInvoicesPaidCount: { type: 'int4', description: 'The number of paid renewals.' },
  notes: { ...PERSONAL, maxLength: 20_000, description: 'Notes about the order.' },
  ...ADDRESSES,
  tagIds: {
    type: 'int8[]',
    refers: orderTag,
    description: 'The integer ids of the tags, in the order in which they were applied.',
  },
  orderPage: {
    type: 'json',
    nullable: true,
    object: IDS_AND_NAME,
    description: 'The page on which the order was placed.',
  },
  originationChannelId: {
    graphql: false,
    type: 'int8',
    description:
      'The id of the channel from which the order came. For an order that was created over the API this is the workspace.',
  },
  originationChannelPublicId: {
    graphql: false,
    type: 'text',
    description: 'The public id of the channel from which the order came.',
  },
  originationChannelType: {
    graphql: false,
    type: 'text',
    description: 'The type of the channel from which the order came.',
  },
  originationChannelName: {
    graphql: false,
    type: 'text',
    description: 'The name of the channel from which the order came.',
  },
  affiliate: {
    type: 'json',
    nullable: true,
    object: { name: ALWAYS_NULL_TEXT, email: ALWAYS_NULL_TEXT },
    description: ALWAYS_NULL_TEXT.description,
  },
  referralCode: {
    type: 'json',
    nullable: true,
    object: {
      code: ALWAYS_NULL_TEXT,
      default: { type: 'bool', nullable: true, description: ALWAYS_NULL_TEXT.description },
    },
    description: ALWAYS_NULL_TEXT.description,
  },
  contact: {
    type: 'jsonb',
    nullable: true,
    object: contact.fields,
    needs: 'contacts',
    description: 'The buyer. Null if the caller may not read contacts.',
  },
} as const satisfies Fields;
