// The fields of forms.
import { formField } from '../../resources/forms/forms.ts';
import { FORM_FIELD_RULES } from '../../store/changing/form-fields.ts';
import { writesOf } from '../changing/writes.ts';
import { defineService } from '../service.ts';

const writes = writesOf(formField, FORM_FIELD_RULES);

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(formField, { writes });
