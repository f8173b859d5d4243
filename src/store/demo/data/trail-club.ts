// The outdoor shop's second workspace: guided trips and courses.
import { filter, tagged, within } from './criteria.ts';
import type { WorkspaceData } from './shape.ts';

export const TRAIL_CLUB: WorkspaceData = {
  name: 'Acme Trail Club',
  subdomain: 'trail-club',
  customDomains: [],
  contacts: {
    count: 46,
    attributes: {
      membership: ['monthly', 'yearly', 'lapsed'],
      experience: ['first steps', 'regular', 'guide'],
      emergency_contact: ['on file', 'missing'],
    },
  },
  tags: {
    Member: { color: '#2E7D32', share: 0.7 },
    Guide: { color: '#6A1B9A', share: 0.08 },
    'First aid course': { color: '#C62828', share: 0.25 },
  },
  filters: [
    filter('Members', tagged('Member')),
    filter('Guides', tagged('Guide')),
    filter('First aid trained', tagged('First aid course')),
    filter('Joined this quarter', within(90, 'created_at')),
  ],
  funnels: [
    {
      name: 'Book a Guided Hike',
      path: '/guided-hike',
      live: true,
      tags: ['Member'],
      steps: [
        'Pick a trail',
        {
          split: 'Member price?',
          filter: 'Members',
          matched: ['Member booking'],
          unmatched: ['Guest booking', 'Become a member'],
        },
        'Packing list',
      ],
    },
    {
      name: 'Wilderness First Aid',
      path: '/first-aid',
      live: true,
      steps: ['Course overview', 'Reserve a place', 'See you there'],
    },
  ],
  webhookEndpoints: [
    {
      name: 'Booking calendar',
      url: 'https://calendar.acme.example/hooks/trail-club',
      events: ['appointments/scheduled_event.created', 'appointments/scheduled_event.canceled'],
    },
    {
      name: 'Member cards',
      url: 'https://cards.acme.example/print',
      events: ['contact.identified', 'subscription.activated', 'subscription.canceled'],
      funnels: ['Book a Guided Hike'],
    },
  ],
};
