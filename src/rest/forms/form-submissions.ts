import { formSubmission } from '../../resources/forms/form-submissions.ts';
import * as formSubmissions from '../../services/forms/form-submissions.ts';
import { objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const { reads } = formSubmissions.service;

/** The second address of a submission, beside the list of the submissions of all forms. */
export const formSubmissionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/form_submissions/:id',
    operationId: 'getFormSubmissionOfWorkspace',
    summary: 'Gets a form submission by its other address',
    resource: formSubmission,
    scope: reads.scope,
    response: objectOf(outputOf(formSubmission), 'The form submission.'),
    handle: ({ ctx, params, projection }) => reads.get(ctx, params.id, projection),
  }),
];
