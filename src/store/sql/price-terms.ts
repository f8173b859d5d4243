// The terms of a price in the clients' form. Columns have the unit of an `interval` in the singular, and a duration of 0 for no end.
// Clients see the plural and null, and for a one-time price null. Pure.

/** SQL of the terms that clients see, by column. @param p the alias of the price */
export function priceTerms(p: string) {
  const repeated = (sql: string) => `case when ${p}.payment_type <> 'one_time' then ${sql} end`;
  return {
    duration: repeated(`nullif(${p}.duration, 0)`),
    interval: repeated(`${p}.interval || 's'`),
    intervalCount: repeated(`${p}.interval_count`),
    trialAmount: repeated(`${p}.trial_amount`),
    trialDuration: repeated(`${p}.trial_duration`),
    trialInterval: repeated(`${p}.trial_interval || 's'`),
  } as const;
}

/** SQL of the unit of a period in the singular. Copies in lines have either form. */
export function singularUnit(sql: string): string {
  return `rtrim(${sql}, 's')`;
}

/** SQL of a period. @param count a number of units */
export function periodOf(count: string, unit: string): string {
  const isQuarter = `${singularUnit(unit)} = 'quarter'`;
  return `(case when ${isQuarter} then 3 * ${count} || ' month' else ${count} || ' ' || ${unit} end)::interval`;
}

/** SQL of the copy of a price in a line, whose unit an earlier version may have written in the singular. */
export function withPluralUnit(copy: string): string {
  const unit = `${copy} ->> 'interval'`;
  return `case when right(${unit}, 1) <> 's' then (${copy}::jsonb || jsonb_build_object('interval', (${unit}) || 's'))::json else ${copy} end`;
}
