// Converts a price's terms from the clients' form to the stored form: units in the singular, and 0 for no end.
import { singularUnit } from '../sql/price-terms.ts';
import type { ChangeRules } from './rules.ts';

const onCreateAndUpdate = (sql: string) => ({ onCreate: sql, onUpdate: sql });

export const PRICE_RULES: ChangeRules = {
  inherited: ['product_id'],
  derived: {
    duration: onCreateAndUpdate('coalesce(n.duration, 0)'),
    interval: onCreateAndUpdate(singularUnit('n.interval')),
    trial_interval: onCreateAndUpdate(singularUnit('n.trial_interval')),
    // A one-time price does not show its trial amount. Computed, so that it follows a currency with another number of digits.
    trial_amount: onCreateAndUpdate('coalesce(n.trial_amount, 0 * n.amount)'),
  },
};
