import { toInteger, toTimestamp, toTimestampOrNull } from '../json.ts';
import type { ContactRow } from '../services/contacts.ts';
import { viewAppliedTag } from './tags.ts';

export function viewContact(contact: ContactRow) {
  return {
    id: toInteger(contact.id),
    public_id: contact.publicId,
    workspace_id: toInteger(contact.workspaceId),
    uuid: contact.uuid,
    anonymous: contact.anonymous ? 1 : 0,
    email_address: contact.emailAddress,
    first_name: contact.firstName,
    last_name: contact.lastName,
    phone_number: contact.phoneNumber,
    time_zone: contact.timeZone,
    unsubscribed_at: toTimestampOrNull(contact.unsubscribedAt),
    last_notification_email_sent_at: toTimestampOrNull(contact.lastNotificationEmailSentAt),
    email_suppression_reason: contact.emailSuppressionReason,
    is_active: contact.isActive,
    fb_url: contact.fbUrl,
    twitter_url: contact.twitterUrl,
    instagram_url: contact.instagramUrl,
    linkedin_url: contact.linkedinUrl,
    website_url: contact.websiteUrl,
    created_at: toTimestamp(contact.createdAt),
    updated_at: toTimestamp(contact.updatedAt),
    tags: contact.tags.map(viewAppliedTag),
    custom_attributes: contact.customAttributes,
  };
}
