-- Erasing a contact blanks why its orders were canceled, the reason of the list too. What was canceled after an erasure stays.
-- checked: few contacts are erased, and their orders are found by an index
update orders o set cancel_reason = null, row_version = o.row_version + 1 from contact_erasures e
where e.workspace_id = o.workspace_id and e.contact_id = o.contact_id and o.cancel_reason is not null
  and coalesce(o.canceled_at, o.created_at) <= e.erased_at;
