// What the outdoor shop sells.
import type { CatalogData } from './shape.ts';

export const ACME_PRODUCTS: CatalogData = {
  tags: { Bestseller: '#C62828', Winter: '#00838F', Clearance: '#F9A825' },
  products: [
    {
      name: 'Ridge Winter Jacket',
      path: '/ridge-winter-jacket',
      tags: ['Bestseller', 'Winter'],
      properties: ['Size', 'Colour'],
      variants: [
        { name: 'S, forest', sku: 'RWJ-S-FO', values: ['S', 'Forest'], stock: 14 },
        { name: 'M, forest', sku: 'RWJ-M-FO', values: ['M', 'Forest'], stock: 22 },
        { name: 'L, slate', sku: 'RWJ-L-SL', values: ['L', 'Slate'], stock: 3 },
      ],
      weight: 0.68,
      prices: [{ name: 'Retail', amount: '289.00', compareAtAmount: '329.00' }],
    },
    {
      name: 'Trail Runner 4',
      path: '/trail-runner-4',
      tags: ['Bestseller'],
      properties: ['Size'],
      variants: [
        { name: '41', sku: 'TR4-41', values: ['41'], stock: 30 },
        { name: '43', sku: 'TR4-43', values: ['43'], stock: 0 },
      ],
      weight: 0.31,
      prices: [
        { name: 'Retail', amount: '139.00' },
        { name: 'In three payments', amount: '47.00', paymentType: 'payment_plan', duration: 3 },
      ],
    },
    {
      name: 'Basecamp Tent',
      path: '/basecamp-tent',
      tags: [],
      properties: [],
      variants: [{ name: 'Basecamp Tent', sku: 'BCT-1', values: [], stock: 8 }],
      weight: 2.4,
      prices: [{ name: 'Retail', amount: '449.00' }],
    },
    {
      name: 'Summit Club',
      path: '/summit-club',
      tags: [],
      properties: [],
      variants: [{ name: 'Summit Club', sku: null, values: [], stock: null, digital: true }],
      prices: [
        {
          name: 'Monthly',
          amount: '9.00',
          paymentType: 'subscription',
          interval: 'month',
          trialDuration: 14,
        },
        { name: 'Yearly', amount: '89.00', paymentType: 'subscription', interval: 'year', trialDuration: 14 },
      ],
    },
    {
      name: 'Wool Beanie 2023',
      path: '/wool-beanie-2023',
      tags: ['Clearance', 'Winter'],
      properties: [],
      variants: [{ name: 'Wool Beanie 2023', sku: 'WB-23', values: [], stock: 0 }],
      weight: 0.08,
      prices: [{ name: 'Retail', amount: '19.00' }],
      archived: true,
    },
  ],
  collections: [
    { name: 'On the trail', products: ['Trail Runner 4', 'Basecamp Tent'], sortMethod: 'manually' },
    { name: 'Winter', tags: ['Winter'], sortMethod: 'price_desc' },
  ],
};
