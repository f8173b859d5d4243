// The routes of all nouns: the standard routes from their descriptions, and the routes that their own files add or replace.
import { type ByNoun, type Described, NOUNS } from '../resources/nouns.ts';
import { serviceOf } from '../services/nouns.ts';
import { appliedTagRoutes } from './applied-tags.ts';
import { conditionalSplitRoutes } from './conditional-splits.ts';
import { contactRoutes } from './contacts.ts';
import { funnelStepRoutes } from './funnel-steps.ts';
import { nounRoutes, type OwnRoutes } from './noun-routes.ts';
import { orderAppliedTagRoutes } from './order-applied-tags.ts';
import { lineItemChangeRoutes } from './order-line-item-changes.ts';
import { funnelStatsRoute, pageStatsRoute } from './page-stats.ts';
import { pageRoutes } from './pages.ts';
import { priceRoutes } from './product-prices.ts';
import { refineFilterRoutes } from './refine-filters.ts';
import type { Route } from './route.ts';
import { siteRoutes } from './sites.ts';
import { splitTestRoutes } from './split-tests.ts';
import { teamRoutes } from './teams.ts';
import { userRoutes } from './users.ts';
import { visitRoutes } from './visits.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';
import { webhookEventRoutes } from './webhook-events.ts';

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
