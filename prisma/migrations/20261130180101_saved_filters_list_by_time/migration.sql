-- checked: a version that knows nothing of it has its changes' times a moment later, as with tags
call list_by_time('refine_filters', 5);
