// The computed columns of e-mail settings and broadcasts.
import { emailBroadcast, emailBroadcastRecipient } from '../../resources/emails/email-broadcasts.ts';
import { emailSettings } from '../../resources/emails/email-settings.ts';
import { existingIds, ownTable } from './table.ts';

/** The address that a column of the settings names: with null members if it names none. */
const senderOf = (column: string) =>
  `(select json_build_object('email_address', max(a.email_address), 'name', max(a.name)) from email_addresses a
    where a.workspace_id = $row_workspace and a.id = t.${column})`;

export const emailSettingsTable = ownTable(emailSettings, {
  computed: {
    marketingEmailsFromAddress: senderOf('marketing_from_address_id'),
    marketingEmailsReplyToAddress: senderOf('marketing_reply_to_address_id'),
    systemEmailsFromAddress: senderOf('system_from_address_id'),
    systemEmailsReplyToAddress: senderOf('system_reply_to_address_id'),
  },
});

const NEVER = 'null::timestamptz';

export const emailBroadcastTable = ownTable(emailBroadcast, {
  computed: {
    topicIds: existingIds('email_topics', 't.topic_ids'),
    sendingAt: NEVER,
    completeAt: NEVER,
    originationChannelId: 't.workspace_id',
    originationChannelType: "'Workspace'::text",
  },
});

/** They are created with their broadcast. */
export const emailBroadcastRecipientTable = ownTable(emailBroadcastRecipient, { commitsInOrder: true });
