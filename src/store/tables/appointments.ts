// The computed columns of appointments: the contact as the public API shows it.
import { appointment } from '../../resources/appointments.ts';
import type { Field } from '../../resources/description/fields.ts';
import { restNameOf, toSnakeCase } from '../../resources/description/names.ts';
import { ownTable } from './table.ts';

const CONTACT = Object.entries<Field>(appointment.fields.primaryContact.object).map(
  ([property, field]) => `s.${toSnakeCase(property)} as "${restNameOf(property, field)}"`,
);

export const appointmentTable = ownTable(appointment, {
  computed: {
    primaryContact: `(select to_json(v) from (select ${CONTACT.join(', ')} from contacts s
      where s.workspace_id = $row_workspace and s.id = t.primary_contact_id) v)`,
  },
});
