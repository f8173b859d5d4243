// The second team's workspace: a coffee roaster.
import { filter, isSet, tagged, untagged } from './criteria.ts';
import type { WorkspaceData } from './shape.ts';

export const KOHI: WorkspaceData = {
  name: 'Kohi Coffee Roasters',
  subdomain: 'kohi',
  customDomains: ['coffee.kohi.example'],
  contacts: {
    count: 62,
    attributes: {
      brew_method: ['espresso', 'pour-over', 'french press', 'moka pot', 'cold brew'],
      roast: ['light', 'medium', 'dark'],
      grind: ['whole bean', 'fine', 'coarse'],
    },
  },
  tags: {
    Subscriber: { color: '#4E342E', share: 0.45 },
    Café: { color: '#1565C0', share: 0.1 },
    'Sample box': { color: '#F9A825', share: 0.3 },
  },
  filters: [
    filter('Subscribers', tagged('Subscriber')),
    filter('Cafés', tagged('Café')),
    filter('Tried a sample, not subscribed', tagged('Sample box'), untagged('Subscriber')),
    filter('Unsubscribed', isSet('unsubscribed_at')),
  ],
  funnels: [
    {
      name: 'First Bag Free',
      path: '/first-bag',
      live: true,
      customDomain: 'coffee.kohi.example',
      tags: ['Sample box'],
      steps: [
        'Taste our coffee',
        'Find your roast',
        {
          split: 'Café or home?',
          filter: 'Cafés',
          matched: ['Café starter kit', 'Book a tasting'],
          unmatched: [
            'Home subscription',
            {
              split: 'Already a subscriber?',
              filter: 'Subscribers',
              matched: ['Give a bag to a friend'],
              unmatched: ['Choose your plan'],
            },
          ],
        },
        'On its way',
      ],
    },
    {
      name: 'Barista Course',
      path: '/barista-course',
      steps: ['Learn latte art', 'Course checkout', 'Welcome to class'],
    },
  ],
  webhookEndpoints: [
    {
      name: 'Roastery planning',
      url: 'https://roastery.kohi.example/hooks/orders',
      events: ['one-time-order.completed', 'subscription.invoice.paid'],
    },
    {
      name: 'Mailing list',
      url: 'https://mail.kohi.example/subscribe',
      events: ['contact.identified'],
      pages: ['Taste our coffee'],
    },
  ],
};
