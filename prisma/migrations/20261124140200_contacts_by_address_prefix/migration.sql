-- Contacts whose e-mail address begins with a text, for saved filters (src/store/sql/email-key.ts has the same expression). In the order of
-- bytes, in which those that begin with a text are one range; other comparisons do not use it.
create index concurrently contacts_workspace_id_email_address_prefix_idx on contacts (
  workspace_id,
  (lower(btrim(email_address, E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff')) collate "C")
) where email_address is not null;
