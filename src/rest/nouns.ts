// The routes of all nouns: the standard routes from their descriptions, and the routes that their own files add or replace.
import { type ByNoun, type Described, NOUNS } from '../resources/nouns.ts';
import { serviceOf } from '../services/nouns.ts';
import { teamRoutes } from './accounts/teams.ts';
import { userRoutes } from './accounts/users.ts';
import { appliedTagRoutes } from './contacts/applied-tags.ts';
import { contactRoutes } from './contacts/contacts.ts';
import { refineFilterRoutes } from './contacts/refine-filters.ts';
import { conditionalSplitRoutes } from './funnels/conditional-splits.ts';
import { funnelStepRoutes } from './funnels/funnel-steps.ts';
import { funnelStatsRoute, pageStatsRoute } from './funnels/page-stats.ts';
import { pageRoutes } from './funnels/pages.ts';
import { siteRoutes } from './funnels/sites.ts';
import { splitTestRoutes } from './funnels/split-tests.ts';
import { visitRoutes } from './funnels/visits.ts';
import { nounRoutes, type OwnRoutes } from './noun-routes.ts';
import { orderAppliedTagRoutes } from './orders/order-applied-tags.ts';
import { lineItemChangeRoutes } from './orders/order-line-item-changes.ts';
import { priceRoutes } from './products/product-prices.ts';
import type { Route } from './route.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoints.ts';
import { webhookEventRoutes } from './webhooks/webhook-events.ts';

/** By the noun's type. */
const SPECIAL: ByNoun<OwnRoutes> = {
  Team: { routes: teamRoutes },
  User: { routes: userRoutes },
  Contact: { routes: contactRoutes },
  ContactAppliedTag: appliedTagRoutes,
  OrderAppliedTag: orderAppliedTagRoutes,
  Funnel: { routes: [...funnelStepRoutes, funnelStatsRoute] },
  ConditionalSplitStep: { routes: [...conditionalSplitRoutes, ...splitTestRoutes] },
  Site: { routes: siteRoutes },
  Page: { routes: [...pageRoutes, ...visitRoutes, pageStatsRoute] },
  OrderLineItem: { routes: lineItemChangeRoutes },
  RefineFilter: { routes: refineFilterRoutes },
  WebhookEndpoint: webhookEndpointRoutes,
  WebhookEvent: { routes: webhookEventRoutes },
  WebhookDelivery: { routes: webhookDeliveryRoutes },
  Price: { routes: priceRoutes },
};

export const routes: readonly Route[] = NOUNS.flatMap((noun) =>
  nounRoutes(noun as Described, serviceOf(noun as Described), SPECIAL[noun.type]),
);
