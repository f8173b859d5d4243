// The SQL that is specific to changes of e-mail addresses: a workspace has one default address at most.
import { emailAddress } from '../../resources/emails/email-addresses.ts';
import { tableOf } from '../tables/tables.ts';
import { changeRows, lockNamed } from './other-rows.ts';
import type { ChangeRules } from './rules.ts';

const ADDRESSES = tableOf(emailAddress);

export const EMAIL_ADDRESS_RULES: ChangeRules = {
  others: {
    nouns: [ADDRESSES],
    async before(tx, { workspaceId, id, given }) {
      if (given?.columns['is_workspace_default'] !== true) return [];
      await lockNamed(tx, 'default-email-address', workspaceId);
      const rows = await tx.$queryRawUnsafe<{ id: bigint }[]>(
        `select t.id from email_addresses t
          where t.workspace_id = $1::bigint and t.is_workspace_default and t.id is distinct from $2::bigint for update of t`,
        ...[workspaceId, id],
      );
      const previous = rows.map((row) => row.id);
      return changeRows(tx, ADDRESSES, workspaceId, previous, 'is_workspace_default = false');
    },
  },
};
