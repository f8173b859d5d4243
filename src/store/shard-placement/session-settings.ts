// What sessions set for statements that Citus executes on other nodes. Elsewhere these settings say nothing.

/**
 * For changes of tables: one shard after another, so that those of one transaction do not wait for each other; and tables that every node has
 * a copy of keep their triggers.
 */
export const FOR_TABLE_CHANGES = `set citus.multi_shard_modify_mode = 'sequential'; set citus.enable_unsafe_triggers = on`;

/**
 * For the transaction of a caller's change, as one query. Other nodes, where it waits for locks, receive `lock_timeout` only with
 * `citus.propagate_set_commands`. Tables that are on every node cannot be changed after a statement that was executed on several shards at the
 * same time.
 */
export const FOR_ROW_CHANGES = `select set_config('citus.propagate_set_commands', 'local', true), set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
