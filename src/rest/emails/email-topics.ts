// The query of the list of e-mail topics, which leaves archived ones out unless the request asks for them.
import { invalid, mustBeOneOf } from '../../errors.ts';
import type { PageRequest } from '../../pagination.ts';
import { emailTopic } from '../../resources/emails/email-topics.ts';
import { listQuery } from '../list-queries.ts';
import type { Query } from '../route.ts';

const INCLUDE = 'include_archived';

const { parameters, parse } = listQuery(emailTopic);

export const emailTopicQuery: Query<PageRequest> = {
  parameters: [
    ...parameters,
    {
      name: INCLUDE,
      description:
        'Whether the list has archived topics too. `filter[archived]` takes its place in a request that has both.',
      schema: { type: 'boolean', default: false },
    },
  ],
  parse(query) {
    const page = parse(query);
    const included = query.getAll(INCLUDE).at(-1) ?? 'false';
    if (included !== 'true' && included !== 'false') throw invalid(INCLUDE, mustBeOneOf('true or false'));
    const isWhole = included === 'true' || page.filter?.['archived'] !== undefined;
    return isWhole ? page : { ...page, filter: { ...page.filter, archived: [false] } };
  },
};
