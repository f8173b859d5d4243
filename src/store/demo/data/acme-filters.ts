// The outdoor shop's saved filters: more than one page of them.
import { before, equals, filter, isNotSet, isSet, tagged, untagged, within } from './criteria.ts';
import type { FilterData } from './shape.ts';

export const ACME_FILTERS: readonly FilterData[] = [
  filter('VIP customers', tagged('VIP')),
  filter('All customers', tagged('Customer')),
  filter('Newsletter readers', tagged('Newsletter'), isNotSet('unsubscribed_at')),
  filter('New this week', within(7, 'created_at')),
  filter('New this month', within(30, 'created_at')),
  filter('Quiet for 90 days', before(90, 'last_activity')),
  filter('Quiet for a year', before(365, 'last_activity')),
  filter('Anonymous visitors', equals('anonymous', true)),
  filter('Unsubscribed', isSet('unsubscribed_at')),
  filter('Unsubscribed lately', within(30, 'unsubscribed_at')),
  filter('Suppressed addresses', isSet('email_suppression')),
  filter('Hard bounces', equals('email_suppression', 'hard_bounce')),
  filter('Climbers', tagged('Climber')),
  filter('Trail runners', tagged('Trail runner')),
  filter('Winter sports', tagged('Winter sports')),
  filter('Families', tagged('Family camping')),
  filter('Climbers who are not customers yet', tagged('Climber'), untagged('Customer')),
  {
    ...filter('Runners or winter sports', tagged('Trail runner'), tagged('Winter sports')),
    conjunction: 'or',
  },
  filter('Abandoned cart, last 3 days', tagged('Abandoned cart'), within(3, 'last_activity')),
  filter('Wholesale buyers', tagged('Wholesale')),
  filter('Customers without newsletter', tagged('Customer'), untagged('Newsletter')),
  filter('VIP at risk', tagged('VIP'), before(60, 'last_activity')),
  filter('Test accounts', { attribute: 'email_address', clause: 'sw', value: 'test+' }),
  filter('Joined before this season', before(180, 'created_at')),
  filter('Referred by a partner', equals('has_affiliate_attribution', true)),
  filter('Tent shoppers', tagged('Family camping', 'Abandoned cart')),
];
