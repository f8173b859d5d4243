// The routes of all nouns: the standard routes from their services, and the routes that their own files add or replace.
import { emailSettings } from '../resources/emails/email-settings.ts';
import { site } from '../resources/sites.ts';
import * as apiKeys from '../services/accounts/api-keys.ts';
import * as teams from '../services/accounts/teams.ts';
import * as users from '../services/accounts/users.ts';
import * as appliedTags from '../services/contacts/applied-tags.ts';
import * as contacts from '../services/contacts/contacts.ts';
import * as refineFilters from '../services/contacts/refine-filters.ts';
import * as settings from '../services/emails/email-settings.ts';
import * as emails from '../services/emails/emails.ts';
import * as formSubmissions from '../services/forms/form-submissions.ts';
import * as conditionalSplits from '../services/funnels/conditional-splits.ts';
import * as funnels from '../services/funnels/funnels.ts';
import * as pages from '../services/funnels/pages.ts';
import * as sites from '../services/funnels/sites.ts';
import { SERVICES } from '../services/nouns.ts';
import * as orderAppliedTags from '../services/orders/order-applied-tags.ts';
import * as lineItemChanges from '../services/orders/order-line-item-changes.ts';
import * as prices from '../services/products/product-prices.ts';
import type { Service } from '../services/service.ts';
import * as oauthGrants from '../services/sign-in/oauth-grants.ts';
import * as teamOauthClients from '../services/sign-in/team-oauth-clients.ts';
import * as webhookDeliveries from '../services/webhooks/webhook-deliveries.ts';
import * as webhookEndpoints from '../services/webhooks/webhook-endpoints.ts';
import * as webhookEvents from '../services/webhooks/webhook-events.ts';
import { apiKeyRoutes } from './accounts/api-keys.ts';
import { oauthGrantRoutes } from './accounts/oauth-grants.ts';
import { teamOauthClientRoutes } from './accounts/team-oauth-clients.ts';
import { teamRoutes } from './accounts/teams.ts';
import { userRoutes } from './accounts/users.ts';
import { appliedTagRoutes } from './contacts/applied-tags.ts';
import { contactRoutes } from './contacts/contacts.ts';
import { refineFilterRoutes } from './contacts/refine-filters.ts';
import { emailTopicQuery } from './emails/email-topics.ts';
import { formSubmissionRoutes } from './forms/form-submissions.ts';
import { conditionalSplitRoutes } from './funnels/conditional-splits.ts';
import { funnelStepRoutes } from './funnels/funnel-steps.ts';
import { funnelStatsRoute, pageStatsRoute } from './funnels/page-stats.ts';
import { pageRoutes } from './funnels/pages.ts';
import { splitTestRoutes } from './funnels/split-tests.ts';
import { visitRoutes } from './funnels/visits.ts';
import { nounRoutes, type OwnRoutes } from './noun-routes.ts';
import { orderAppliedTagRoutes } from './orders/order-applied-tags.ts';
import { lineItemChangeRoutes } from './orders/order-line-item-changes.ts';
import { priceRoutes } from './products/product-prices.ts';
import type { Route } from './route.ts';
import { singleRoutes } from './single-routes.ts';
import { webhookDeliveryRoutes } from './webhooks/webhook-deliveries.ts';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoints.ts';
import { webhookEventRoutes } from './webhooks/webhook-events.ts';

const OWN = new Map<Service, OwnRoutes>([
  [teams.service, { routes: teamRoutes }],
  [users.service, { routes: userRoutes }],
  [apiKeys.service, { routes: apiKeyRoutes }],
  [oauthGrants.service, { routes: oauthGrantRoutes }],
  [teamOauthClients.service, { routes: teamOauthClientRoutes }],
  [contacts.service, { routes: contactRoutes }],
  [appliedTags.service, appliedTagRoutes],
  [orderAppliedTags.service, orderAppliedTagRoutes],
  [funnels.service, { routes: [...funnelStepRoutes, funnelStatsRoute] }],
  [conditionalSplits.service, { routes: [...conditionalSplitRoutes, ...splitTestRoutes] }],
  [sites.service, { routes: singleRoutes(site, sites.single, 'site', { name: 'SiteOfWorkspace' }) }],
  [pages.service, { routes: [...pageRoutes, ...visitRoutes, pageStatsRoute] }],
  [lineItemChanges.service, { routes: lineItemChangeRoutes }],
  [refineFilters.service, { routes: refineFilterRoutes }],
  [webhookEndpoints.service, webhookEndpointRoutes],
  [webhookEvents.service, { routes: webhookEventRoutes }],
  [webhookDeliveries.service, { routes: webhookDeliveryRoutes }],
  [prices.service, { routes: priceRoutes }],
  [formSubmissions.service, { routes: formSubmissionRoutes }],
  [emails.topics, { query: emailTopicQuery }],
  [
    settings.service,
    {
      routes: singleRoutes(emailSettings, settings.single, 'emails/settings', {
        name: 'EmailSettings',
        isOurs: true,
      }),
    },
  ],
]);

export const routes: readonly Route[] = SERVICES.flatMap((service) => nounRoutes(service, OWN.get(service)));
