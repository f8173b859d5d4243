// The outdoor shop's saved filters: more than one page of them.
import type { FilterData } from './shape.ts';

const daysAgo = (days: number) => ({ days: String(days), modifier: 'ago' });

export const ACME_FILTERS: readonly FilterData[] = [
  { name: 'VIP customers', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['VIP'] }] },
  { name: 'All customers', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Customer'] }] },
  {
    name: 'Newsletter readers',
    criteria: [
      { attribute: 'tags.id', clause: 'in', value: ['Newsletter'] },
      { attribute: 'unsubscribed_at', clause: 'nst' },
    ],
  },
  { name: 'New this week', criteria: [{ attribute: 'created_at', clause: 'lt', value: daysAgo(7) }] },
  { name: 'New this month', criteria: [{ attribute: 'created_at', clause: 'lt', value: daysAgo(30) }] },
  {
    name: 'Quiet for 90 days',
    criteria: [{ attribute: 'last_activity', clause: 'gt', value: daysAgo(90) }],
  },
  {
    name: 'Quiet for a year',
    criteria: [{ attribute: 'last_activity', clause: 'gt', value: daysAgo(365) }],
  },
  { name: 'Anonymous visitors', criteria: [{ attribute: 'anonymous', clause: 'eq', value: true }] },
  { name: 'Unsubscribed', criteria: [{ attribute: 'unsubscribed_at', clause: 'st' }] },
  {
    name: 'Unsubscribed lately',
    criteria: [{ attribute: 'unsubscribed_at', clause: 'lt', value: daysAgo(30) }],
  },
  { name: 'Suppressed addresses', criteria: [{ attribute: 'email_suppression', clause: 'st' }] },
  {
    name: 'Hard bounces',
    criteria: [{ attribute: 'email_suppression', clause: 'eq', value: 'hard_bounce' }],
  },
  { name: 'Climbers', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Climber'] }] },
  { name: 'Trail runners', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Trail runner'] }] },
  { name: 'Winter sports', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Winter sports'] }] },
  { name: 'Families', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Family camping'] }] },
  {
    name: 'Climbers who are not customers yet',
    criteria: [
      { attribute: 'tags.id', clause: 'in', value: ['Climber'] },
      { attribute: 'tags.id', clause: 'nin', value: ['Customer'] },
    ],
  },
  {
    name: 'Runners or winter sports',
    conjunction: 'or',
    criteria: [
      { attribute: 'tags.id', clause: 'in', value: ['Trail runner'] },
      { attribute: 'tags.id', clause: 'in', value: ['Winter sports'] },
    ],
  },
  {
    name: 'Abandoned cart, last 3 days',
    criteria: [
      { attribute: 'tags.id', clause: 'in', value: ['Abandoned cart'] },
      { attribute: 'last_activity', clause: 'lt', value: daysAgo(3) },
    ],
  },
  { name: 'Wholesale buyers', criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Wholesale'] }] },
  {
    name: 'Customers without newsletter',
    criteria: [
      { attribute: 'tags.id', clause: 'in', value: ['Customer'] },
      { attribute: 'tags.id', clause: 'nin', value: ['Newsletter'] },
    ],
  },
  {
    name: 'VIP at risk',
    criteria: [
      { attribute: 'tags.id', clause: 'in', value: ['VIP'] },
      { attribute: 'last_activity', clause: 'gt', value: daysAgo(60) },
    ],
  },
  { name: 'Test accounts', criteria: [{ attribute: 'email_address', clause: 'sw', value: 'test+' }] },
  {
    name: 'Joined before this season',
    criteria: [{ attribute: 'created_at', clause: 'gt', value: daysAgo(180) }],
  },
  {
    name: 'Referred by a partner',
    criteria: [{ attribute: 'has_affiliate_attribution', clause: 'eq', value: true }],
  },
  {
    name: 'Tent shoppers',
    criteria: [{ attribute: 'tags.id', clause: 'in', value: ['Family camping', 'Abandoned cart'] }],
  },
];
