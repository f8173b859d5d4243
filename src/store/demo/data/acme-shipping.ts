// How the outdoor shop ships.
import type { ShippingData } from './shape.ts';

export const ACME_SHIPPING: ShippingData = {
  locations: [
    {
      name: 'Innsbruck warehouse',
      addressName: 'Acme Outdoor Logistics',
      address: {
        address_one: 'Hallerstraße 41',
        address_two: 'Hall 3',
        city: 'Innsbruck',
        region: 'Tyrol',
        postal_code: '6020',
        country: 'AT',
      },
      emailAddress: 'warehouse@acme.example',
      phoneNumber: '+43 512 555 0141',
      sortOrder: 1,
    },
    {
      name: 'Denver partner',
      addressName: 'Front Range Fulfillment',
      address: {
        address_one: '2100 Blake Street',
        address_two: null,
        city: 'Denver',
        region: 'CO',
        postal_code: '80205',
        country: 'US',
      },
      emailAddress: 'acme@frontrange.example',
      phoneNumber: null,
      externalApp: true,
      sortOrder: 2,
    },
    {
      name: 'Salzburg pop-up',
      addressName: 'Acme Outdoor Shop',
      address: {
        address_one: 'Linzer Gasse 12',
        address_two: null,
        city: 'Salzburg',
        region: null,
        postal_code: '5020',
        country: 'AT',
      },
      emailAddress: 'salzburg@acme.example',
      phoneNumber: null,
      archived: true,
      sortOrder: null,
    },
  ],
  packages: [
    {
      ...{ name: 'Shoe box', packageType: 'box', distanceUnit: 'cm', weightUnit: 'g' },
      ...{ length: '35', width: '22', height: '13', weight: '240', emptyWeight: '240', defaultPackage: true },
    },
    {
      ...{ name: 'Mailing bag', packageType: 'soft_package', distanceUnit: 'cm', weightUnit: 'g' },
      ...{ length: '40', width: '30', height: '2.5', weight: '35', emptyWeight: '35' },
    },
    {
      ...{ name: 'USPS flat rate envelope', packageType: 'envelope', carrier: 'usps', distanceUnit: 'in' },
      ...{ length: '12.5', width: '9.5', height: '0.75' },
    },
  ],
  rateNames: ['Standard', 'Express', 'Bulky goods'],
  profiles: [
    {
      name: 'General',
      zones: [
        {
          name: 'Austria and Germany',
          countryIds: ['AT', 'DE'],
          rates: [
            { name: 'Standard', price: '4.90', priceCurrency: 'EUR', providerName: 'Post' },
            { name: 'Express', price: '12.90', priceCurrency: 'EUR', providerName: 'DHL Express' },
          ],
        },
        {
          name: 'United States',
          countryIds: ['US'],
          rates: [{ name: 'Standard', price: '9.00', priceCurrency: 'USD', providerName: 'USPS' }],
        },
        {
          name: 'Everywhere else',
          countryIds: [],
          includesRestOfWorld: true,
          rates: [{ name: 'Standard', price: '24.00', priceCurrency: 'EUR', providerName: null }],
        },
      ],
    },
    {
      name: 'Tents and skis',
      zones: [
        {
          name: 'Austria and Germany',
          countryIds: ['AT', 'DE'],
          rates: [{ name: 'Bulky goods', price: '19.00', priceCurrency: 'EUR', providerName: 'GLS' }],
        },
      ],
    },
  ],
};
