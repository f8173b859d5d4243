// The outdoor shop's funnels: straight ones, splits with pages around them, splits in branches, one not set up.
import type { FunnelData } from './shape.ts';

export const ACME_FUNNELS: readonly FunnelData[] = [
  {
    name: 'Winter Jacket Launch',
    path: '/winter-jacket',
    live: true,
    customDomain: 'shop.acme.example',
    tags: ['Winter sports'],
    steps: [
      'Meet the Glacier Jacket',
      'Pick your size',
      {
        split: 'VIP or everyone?',
        filter: 'VIP customers',
        matched: [
          'VIP preview price',
          {
            split: 'Winter kit owner?',
            filter: 'Winter sports',
            matched: ['Upgrade your shell'],
            unmatched: ['Complete winter kit', 'Kit sizing guide'],
          },
          'VIP gift wrap',
        ],
        unmatched: ['Launch offer', 'Add merino socks'],
      },
      'Checkout',
      'Thank you',
    ],
  },
  {
    name: 'Trail Running Guide',
    path: '/trail-guide',
    live: true,
    customDomain: 'shop.acme.example',
    tags: ['Trail runner', 'Newsletter'],
    steps: ['Get the guide', 'Check your inbox', 'Shoe finder'],
  },
  {
    name: 'Tent Quiz',
    path: '/tent-quiz',
    live: true,
    steps: [
      'How do you camp?',
      {
        split: 'Family or solo?',
        filter: 'Families',
        matched: ['Family tents', 'Sleeping bags for kids'],
        unmatched: ['Ultralight tents'],
      },
      'Your tent, your price',
      'Order received',
    ],
  },
  {
    name: 'Spring Camping Webinar',
    path: '/spring-webinar',
    tags: ['Family camping'],
    steps: [
      'Save your seat',
      { split: 'Reminder split', filter: null, matched: ['Add to calendar'], unmatched: [] },
      'Watch the replay',
    ],
  },
  {
    name: 'Win Them Back',
    path: '/we-miss-you',
    live: true,
    steps: [
      {
        split: 'Customer before?',
        filter: 'All customers',
        matched: [
          {
            split: 'VIP at risk?',
            filter: 'VIP at risk',
            matched: ['A personal note', 'Private sale'],
            unmatched: [
              'Ten percent back',
              {
                split: 'Climber?',
                filter: 'Climbers',
                matched: ['New ropes and racks'],
                unmatched: ['Best of the season'],
              },
            ],
          },
        ],
        unmatched: ['Tell us what you like'],
      },
      'Welcome back',
    ],
  },
  {
    name: 'Climbing Gear Flash Sale',
    path: '/flash-sale',
    archived: true,
    tags: ['Climber'],
    steps: [
      'Flash sale',
      {
        split: 'Wholesale?',
        filter: 'Wholesale buyers',
        matched: ['Pallet prices'],
        unmatched: ['Flash cart'],
      },
      { split: 'Newsletter?', filter: 'Newsletter readers', matched: [], unmatched: ['Join the newsletter'] },
      'Sale over',
    ],
  },
  {
    name: 'Gift Cards',
    path: '/gift-cards',
    live: true,
    steps: [
      'Give the outdoors',
      {
        test: 'One page or two?',
        leftWeight: 70,
        left: ['Gift card checkout'],
        right: ['Choose a design', 'Pay for the gift'],
      },
      'Gift sent',
    ],
  },
];
