// The services of all nouns, in the order of their list: from their own files, or derived from their descriptions alone.
import { type Described, NOUNS } from '../resources/nouns.ts';
import * as apiKeys from './accounts/api-keys.ts';
import * as auditEntries from './accounts/audit-entries.ts';
import * as teams from './accounts/teams.ts';
import * as users from './accounts/users.ts';
import * as workspaces from './accounts/workspaces.ts';
import * as appointments from './appointments/appointments.ts';
import * as blogs from './blogs/blogs.ts';
import * as appliedTags from './contacts/applied-tags.ts';
import * as contacts from './contacts/contacts.ts';
import * as refineFilters from './contacts/refine-filters.ts';
import * as courses from './courses/courses.ts';
import * as emailBroadcasts from './emails/email-broadcasts.ts';
import * as emailSettings from './emails/email-settings.ts';
import * as emails from './emails/emails.ts';
import * as formFields from './forms/form-fields.ts';
import * as formSubmissions from './forms/form-submissions.ts';
import * as conditionalSplits from './funnels/conditional-splits.ts';
import * as funnels from './funnels/funnels.ts';
import * as pages from './funnels/pages.ts';
import * as sites from './funnels/sites.ts';
import * as themes from './funnels/themes.ts';
import * as orderAppliedTags from './orders/order-applied-tags.ts';
import * as orderInvoices from './orders/order-invoices.ts';
import * as lineItemChanges from './orders/order-line-item-changes.ts';
import * as orderRestocks from './orders/order-restocks.ts';
import * as orderTransactions from './orders/order-transactions.ts';
import * as orders from './orders/orders.ts';
import * as images from './products/images.ts';
import * as productCollections from './products/product-collections.ts';
import * as productPrices from './products/product-prices.ts';
import * as productVariants from './products/product-variants.ts';
import * as products from './products/products.ts';
import * as sales from './sales/sales.ts';
import { defineService, type Service } from './service.ts';
import * as fulfillments from './shipping/fulfillments.ts';
import * as shipping from './shipping/shipping.ts';
import * as oauthGrants from './sign-in/oauth-grants.ts';
import * as teamOauthClients from './sign-in/team-oauth-clients.ts';
import * as webhookDeliveries from './webhooks/webhook-deliveries.ts';
import * as webhookEndpoints from './webhooks/webhook-endpoints.ts';
import * as webhookEvents from './webhooks/webhook-events.ts';

const OWN: readonly Service[] = [
  teams.service,
  workspaces.service,
  users.service,
  auditEntries.service,
  apiKeys.service,
  oauthGrants.service,
  teamOauthClients.service,
  contacts.service,
  appliedTags.service,
  refineFilters.service,
  funnels.service,
  conditionalSplits.service,
  pages.service,
  sites.service,
  themes.service,
  webhookEndpoints.service,
  webhookEvents.service,
  webhookDeliveries.service,
  lineItemChanges.service,
  images.service,
  products.service,
  productVariants.service,
  productPrices.service,
  productCollections.service,
  orders.service,
  orderAppliedTags.service,
  orderInvoices.service,
  orderTransactions.service,
  orderRestocks.service,
  fulfillments.service,
  fulfillments.locations,
  shipping.packages,
  shipping.profiles,
  shipping.rateNames,
  shipping.zones,
  courses.courses,
  courses.sections,
  courses.lessons,
  courses.enrollments,
  courses.completions,
  formFields.service,
  formSubmissions.service,
  formSubmissions.answers,
  sales.pipelines,
  sales.opportunities,
  sales.notes,
  blogs.blogs,
  blogs.tags,
  blogs.categories,
  blogs.posts,
  emails.topics,
  emails.addresses,
  appointments.service,
  emailSettings.service,
  emailBroadcasts.service,
];

export const SERVICES: readonly Service[] = (NOUNS as readonly Described[]).map(
  (noun) => OWN.find((service) => service.noun === noun) ?? defineService(noun),
);
