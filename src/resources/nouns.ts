// The list of all nouns, from which tables, services, routes, types, events, audit, erasure, and the tests of each noun are made. A parent
// precedes its children. The REST documentation uses the same order.
import { apiKey } from './api-keys.ts';
import { appliedTag } from './applied-tags.ts';
import { appointment } from './appointments.ts';
import { auditEntry } from './audit-entries.ts';
import { blogPost } from './blogs/blog-posts.ts';
import { blog, blogCategory, blogTag } from './blogs/blogs.ts';
import { childFaults } from './child-faults.ts';
import { contact } from './contacts.ts';
import { courseEnrollment } from './courses/course-enrollments.ts';
import { courseLessonCompletion } from './courses/course-lesson-completions.ts';
import { courseLesson } from './courses/course-lessons.ts';
import { courseSection } from './courses/course-sections.ts';
import { course } from './courses.ts';
import { domain } from './custom-domains.ts';
import type { IDS } from './description/common-fields.ts';
import type { Field, Fields } from './description/fields.ts';
import { graphqlNameOf, referenceFieldName } from './description/names.ts';
import type { OtherList, Resource } from './description/resource.ts';
import { emailAddress } from './emails/email-addresses.ts';
import { emailBroadcast, emailBroadcastRecipient } from './emails/email-broadcasts.ts';
import { emailSettings } from './emails/email-settings.ts';
import { emailTemplate } from './emails/email-templates.ts';
import { emailTopic } from './emails/email-topics.ts';
import { formSubmission, formSubmissionAnswer } from './forms/form-submissions.ts';
import { form, formField, formFieldOption, formFieldSet } from './forms/forms.ts';
import { fulfillmentLocation } from './fulfillment-locations.ts';
import { fulfillment, fulfillmentLineItem } from './fulfillments.ts';
import { funnelTag } from './funnel-labels.ts';
import { conditionalSplit } from './funnel-steps.ts';
import { funnel } from './funnels.ts';
import { image } from './images.ts';
import { oauthGrant } from './oauth-grants.ts';
import { orderAppliedTag } from './orders/order-applied-tags.ts';
import { invoice, invoiceLineItem } from './orders/order-invoices.ts';
import { restock } from './orders/order-restocks.ts';
import { orderTag } from './orders/order-tags.ts';
import { transaction } from './orders/order-transactions.ts';
import { order, orderLineItem } from './orders/orders.ts';
import { page } from './pages.ts';
import { personalDataFaults } from './personal-data.ts';
import { collection } from './product-collections.ts';
import { price } from './product-prices.ts';
import { productTag } from './product-tags.ts';
import { variant } from './product-variants.ts';
import { product, variantProperty } from './products.ts';
import { refineFilter } from './refine-filters.ts';
import { opportunity, opportunityNote } from './sales/opportunities.ts';
import { pipeline, pipelineStage } from './sales/pipelines.ts';
import { shippingLocationGroup } from './shipping-location-groups.ts';
import { shippingPackage } from './shipping-packages.ts';
import { shippingProfile } from './shipping-profiles.ts';
import { shippingRateName } from './shipping-rate-names.ts';
import { shippingRate } from './shipping-rates.ts';
import { shippingZone } from './shipping-zones.ts';
import { site } from './sites.ts';
import { store } from './stores.ts';
import { tag } from './tags.ts';
import { teamOauthClient } from './team-oauth-clients.ts';
import { team } from './teams.ts';
import { style, theme } from './themes.ts';
import { user } from './users.ts';
import { webhookDelivery } from './webhook-deliveries.ts';
import { webhookEndpoint } from './webhook-endpoints.ts';
import { webhookEvent } from './webhook-events.ts';
import { workspace } from './workspaces.ts';

/** A noun with its own table, whose rows have public ids. */
interface Listed<Table extends string, Type extends string> extends Resource {
  readonly type: Type;
  readonly table: Table;
  readonly number: bigint;
}

/** Preserves the literal types of the names. @throws TypeError for a description that breaks a rule */
function list<const Table extends string, const Type extends string>(
  nouns: readonly Listed<Table, Type>[],
): readonly Listed<Table, Type>[] {
  const [fault] = nouns.flatMap((noun) => [...personalDataFaults(noun), ...childFaults(noun, nouns)]);
  if (fault !== undefined) throw new TypeError(fault);
  return nouns;
}

export const NOUNS = list([
  team,
  user,
  workspace,
  contact,
  tag,
  appliedTag,
  domain,
  funnelTag,
  funnel,
  conditionalSplit,
  refineFilter,
  webhookEndpoint,
  webhookEvent,
  webhookDelivery,
  auditEntry,
  site,
  theme,
  style,
  fulfillmentLocation,
  shippingPackage,
  shippingProfile,
  shippingLocationGroup,
  shippingZone,
  shippingRateName,
  shippingRate,
  apiKey,
  oauthGrant,
  teamOauthClient,
  image,
  store,
  productTag,
  product,
  variantProperty,
  variant,
  price,
  page,
  collection,
  order,
  orderLineItem,
  invoice,
  invoiceLineItem,
  transaction,
  restock,
  fulfillment,
  fulfillmentLineItem,
  orderTag,
  orderAppliedTag,
  course,
  courseSection,
  courseLesson,
  courseEnrollment,
  courseLessonCompletion,
  form,
  formFieldSet,
  formField,
  formFieldOption,
  formSubmission,
  formSubmissionAnswer,
  pipeline,
  pipelineStage,
  opportunity,
  opportunityNote,
  blog,
  blogTag,
  blogCategory,
  blogPost,
  emailTopic,
  emailTemplate,
  emailAddress,
  emailSettings,
  emailBroadcast,
  emailBroadcastRecipient,
  appointment,
]);

/**
 * Whether nothing deletes objects of the noun, neither a change of theirs nor of what they belong to. Objects without changes of their own
 * may be deleted by other ones, or after a time.
 */
export function isPermanent({ type, verbs = [], parent }: Resource): boolean {
  if (verbs.length === 0 || verbs.includes('remove')) return false;
  const isRemovedByParent = NOUNS.some(({ fields }: Resource) =>
    Object.values(fields).some(
      ({ children, changes = [] }) => children?.type === type && changes.includes('remove'),
    ),
  );
  return !isRemovedByParent && (parent === undefined || isPermanent(parent));
}

/** The lists of a noun's objects in addition to the one below its parent: its own, and those of nouns that refer to many of its objects. */
export function listsOf(noun: Pick<Resource, 'type' | 'lists'>): readonly OtherList[] {
  const referring = NOUNS.flatMap((under: Resource) =>
    Object.entries<Field>(under.fields).flatMap(([property, field]): OtherList[] => {
      const { refers, paged, objectDescription } = field;
      if (paged === undefined || paged === 'own' || refers?.type !== noun.type) return [];
      const plural = referenceFieldName(graphqlNameOf(property, field));
      const found = paged === true ? { ids: property } : paged;
      return [
        {
          under,
          plural,
          indexes: {},
          ...found,
          ...(objectDescription && { description: objectDescription }),
        },
      ];
    }),
  );
  return [...(noun.lists ?? []), ...referring];
}

/** The name of a table whose rows have public ids. */
export type NounTable = (typeof NOUNS)[number]['table'];

/** The type of a noun of the list. */
export type NounType = (typeof NOUNS)[number]['type'];

export type Noun = Listed<NounTable, NounType>;

/** Deviations of some nouns, by type. */
export type ByNoun<Special> = { readonly [Type in NounType]?: Special };

/** A noun of the list with the literal type of its description, from which the type of its rows is inferred. */
export type Described = Resource<Fields & Pick<typeof IDS, 'id'>> & {
  readonly table: NounTable;
  readonly type: NounType;
};
