-- Lists of contacts that are filtered, or in the order of their changes: each is answered by a range of an index.

-- E-mail addresses are kept as they were written, white space around them included, and compared without it and without case.
-- src/store/email-key.ts has the same expression.
alter table contacts drop constraint contacts_email_address_check,
  add constraint contacts_email_address_check check (
    btrim(email_address, E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff')
      ~ '^\S+@[^\s@]+$'
  );
drop index contacts_workspace_id_email_address_key;
create unique index contacts_workspace_id_email_address_key on contacts (
  workspace_id,
  lower(btrim(email_address, E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'))
) where email_address is not null;

create index contacts_workspace_id_updated_at_id_idx on contacts (workspace_id, updated_at, id);

-- Whether a contact is active (src/store/tables.ts has the same expression), in either order.
create index contacts_workspace_id_is_active_id_idx on contacts (
  workspace_id,
  (email_address is not null and unsubscribed_at is null and email_suppression_reason is null),
  id
);
create index contacts_workspace_id_is_active_updated_at_id_idx on contacts (
  workspace_id,
  (email_address is not null and unsubscribed_at is null and email_suppression_reason is null),
  updated_at,
  id
);

-- The contacts with a tag, in the order of their ids.
create index contact_tags_workspace_id_tag_id_contact_id_idx on contact_tags (workspace_id, tag_id, contact_id);
drop index contact_tags_workspace_id_tag_id_idx;
