-- For lists in the order of addresses, and for saved filters by the beginning of one. Contacts without an address come first.
create index concurrently contacts_workspace_id_email_address_order_idx on contacts (
  workspace_id,
  (coalesce(lower(btrim(email_address, E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff')), '') collate "C"),
  id
);
