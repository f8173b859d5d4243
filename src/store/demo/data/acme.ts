// The outdoor shop: the demo's main workspace.
import { ACME_FILTERS } from './acme-filters.ts';
import { ACME_FUNNELS } from './acme-funnels.ts';
import { ACME_PRODUCTS } from './acme-products.ts';
import { ACME_SHIPPING } from './acme-shipping.ts';
import type { WorkspaceData } from './shape.ts';

export const ACME: WorkspaceData = {
  name: 'Acme Outdoor Shop',
  subdomain: 'acme',
  customDomains: ['shop.acme.example'],
  contacts: {
    count: 224,
    attributes: {
      favourite_activity: ['hiking', 'climbing', 'trail running', 'ski touring', 'bikepacking', 'camping'],
      shoe_size_eu: ['37', '38', '39', '40', '41', '42', '43', '44', '45', '46'],
      loyalty_tier: ['base', 'ridge', 'summit'],
      heard_about_us: ['friend', 'instagram', 'search', 'podcast', 'store visit'],
    },
  },
  themes: [{ name: 'Alpine', customName: 'Winter look', styles: ['Snow', 'Night'] }],
  pages: [
    {
      name: 'Find a store',
      theme: 'Alpine',
      description: 'Where our shops are, and when they are open.',
      markup: '<h1>Find a store</h1>',
    },
  ],
  offers: {
    'Launch offer': {
      products: ['Ridge Winter Jacket'],
      bumps: { 'Summit Club': 'Free delivery for a year' },
    },
    Checkout: { products: ['Ridge Winter Jacket'] },
  },
  tags: {
    Customer: { color: '#2E7D32', share: 0.55 },
    VIP: { color: '#C62828', share: 0.08 },
    Newsletter: { color: '#1565C0', share: 0.6 },
    Climber: { color: '#6A1B9A', share: 0.2 },
    'Trail runner': { color: '#EF6C00', share: 0.22 },
    'Winter sports': { color: '#00838F', share: 0.18 },
    'Family camping': { color: '#558B2F', share: 0.12 },
    'Abandoned cart': { color: '#F9A825', share: 0.1 },
    Wholesale: { color: '#4E342E', share: 0.03 },
  },
  filters: ACME_FILTERS,
  funnels: ACME_FUNNELS,
  catalog: ACME_PRODUCTS,
  webhookEndpoints: [
    {
      name: 'CRM sync',
      url: 'https://crm.acme.example/hooks/contacts',
      events: ['contact.created', 'contact.updated', 'contact.identified', 'contact.deleted'],
    },
    {
      name: 'Warehouse orders',
      url: 'https://warehouse.acme.example/api/inbound/orders',
      events: ['one-time-order.completed', 'one_time_order.refunded', 'fulfillment.created'],
    },
    {
      name: 'Jacket launch dashboard',
      url: 'https://dash.acme.example/launch/jacket?source=funnel',
      events: ['contact.identified', 'one-time-order.completed'],
      funnels: ['Winter Jacket Launch'],
    },
    {
      name: 'Trail guide lead scoring',
      url: 'https://hooks.acme.example/leads/trail-guide',
      events: ['contact.identified', 'form_submission.created'],
      funnels: ['Trail Running Guide'],
      pages: ['Get the guide'],
    },
    {
      name: 'Accounting',
      url: 'https://books.acme.example/webhooks/invoices',
      events: ['orders/invoice.paid', 'orders/invoice.refunded', 'subscription.invoice.paid'],
    },
    { name: 'Audit log', url: 'https://audit.acme.example/ingest', events: [] },
  ],
  history: {
    contacts: 3,
    given: { phone_number: '+1 202-555-0143' },
    recolored: { tag: 'Newsletter', from: '#888888' },
    answer: { code: 200, body: '{"ok":true}' },
    refusal: {
      ...{ endpoint: 'Audit log', eventType: 'contact.updated' },
      ...{ code: 422, body: '{"error":"phone_number is not a number of this country"}' },
    },
  },
  orderTags: { Gift: '#C2185B', Express: '#F57C00', 'Check address': '#616161' },
  shipping: ACME_SHIPPING,
  visits: {
    pages: { 'Meet the Glacier Jacket': 60, 'Pick your size': 30, Checkout: 12 },
    sales: 'Checkout',
  },
  images: [
    { name: 'Summit at dawn', altText: 'A hill below a pink sky', sky: 'f8bbd0', ground: '4e342e' },
    { name: 'Meadow', altText: 'A green hill below a blue sky', sky: 'bbdefb', ground: '558b2f' },
    { name: 'First snow', altText: 'A white hill below a grey sky', sky: '90a4ae', ground: 'eceff1' },
  ],
  stores: [
    {
      name: 'Acme Outdoor',
      currentPath: '/shop',
      status: 'published',
      seoTitle: 'Acme Outdoor: jackets, tents and trail shoes',
      seoDescription: 'Gear for long days outside, tested by people who use it.',
      seoIndexable: true,
      socialImage: 'Summit at dawn',
    },
    { name: 'Winter sale', currentPath: '/winter-sale', status: 'draft', socialImage: 'First snow' },
  ],
};
