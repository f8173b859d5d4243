// A form field copies the form of its field set, so that answers can refer to it together with the form.
import type { ChangeRules } from './rules.ts';

export const FORM_FIELD_RULES: ChangeRules = { inherited: ['form_id'] };
