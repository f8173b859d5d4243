// Session settings for statements that Citus executes on other nodes. Without Citus they have no effect.

/**
 * For changes of tables: one shard after another, so that the shards of one transaction do not wait for each other; and tables with a copy
 * on every node keep their triggers.
 */
export const FOR_TABLE_CHANGES = `set citus.multi_shard_modify_mode = 'sequential'; set citus.enable_unsafe_triggers = on`;

/**
 * For the transaction of a caller's change, as one query. Other nodes, where it waits for locks, receive `lock_timeout` only with
 * `citus.propagate_set_commands`. Statements run on one shard at a time, because tables with a copy on every node cannot be changed after a
 * statement that ran on several shards in parallel.
 */
export const FOR_ROW_CHANGES = `select set_config('citus.propagate_set_commands', 'local', true), set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
