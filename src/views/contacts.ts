import type { ContactRow } from '../services/contacts.ts';
import { writer } from './writer.ts';

export const writeContact = writer<ContactRow>({
  id: 'id',
  public_id: 'publicId',
  workspace_id: 'workspaceId',
  uuid: 'uuid',
  anonymous: ['anonymous', (text) => (text === 't' ? '1' : '0')],
  email_address: 'emailAddress',
  first_name: 'firstName',
  last_name: 'lastName',
  phone_number: 'phoneNumber',
  time_zone: 'timeZone',
  unsubscribed_at: 'unsubscribedAt',
  last_notification_email_sent_at: 'lastNotificationEmailSentAt',
  email_suppression_reason: 'emailSuppressionReason',
  is_active: 'isActive',
  fb_url: 'fbUrl',
  twitter_url: 'twitterUrl',
  instagram_url: 'instagramUrl',
  linkedin_url: 'linkedinUrl',
  website_url: 'websiteUrl',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  tags: 'tags',
  custom_attributes: 'customAttributes',
});
