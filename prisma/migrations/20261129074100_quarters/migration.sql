-- Prices can be paid by the quarter.
-- checked: whatever was allowed still is, and no version before writes a quarter
alter table product_prices drop constraint product_prices_interval_check, drop constraint product_prices_trial_interval_check;
-- checked: whatever was allowed still is
alter table product_prices
  add constraint product_prices_interval_check check (interval in ('day', 'week', 'month', 'quarter', 'year')) not valid;
-- checked: whatever was allowed still is
alter table product_prices
  add constraint product_prices_trial_interval_check check (trial_interval in ('day', 'week', 'month', 'quarter', 'year')) not valid;
