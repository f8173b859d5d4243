// The computed columns of a form's answers: the options that still exist.
import { formSubmissionAnswer } from '../../resources/forms/form-submissions.ts';
import { unlessHidden } from '../sql/personal-data.ts';
import { existingIds, ownTable } from './table.ts';

const OPTION_IDS = existingIds('form_field_options', 't.fields_option_ids');

export const formSubmissionAnswerTable = ownTable(formSubmissionAnswer, {
  computed: {
    fieldsOptionId: `(${unlessHidden(
      formSubmissionAnswer,
      `(select case when cardinality(o.ids) = 1 then o.ids[1] end from (select ${OPTION_IDS} as ids) o)`,
    )})`,
    fieldsOptionIds: OPTION_IDS,
  },
});
