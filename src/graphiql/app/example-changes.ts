// Those examples of the explorer that change the demo data.
import { type Example, variables } from './example.ts';

export const changes: readonly Example[] = [
  {
    title: 'Create a contact',
    query: `# Changes data, once: whoever sends the same
# again with the same "idempotencyKey" is
# answered as the first time. Another contact
# takes another key and another address. The
# workspace's id is in "Teams and workspaces".
mutation CreateContact($input: CreateContactInput!) {
  createContact(input: $input) {
    contact {
      id
      databaseId
      emailAddress
      anonymous
      customAttributes {
        name
        value
      }
    }
  }
}
`,
    variables: variables({
      input: {
        workspaceId: 'V29ya3NwYWNlOjI=',
        emailAddress: 'robin@example.com',
        firstName: 'Robin',
        customAttributes: [{ name: 'favourite_trail', value: 'Ridge loop' }],
        idempotencyKey: 'the-first-contact',
      },
    }),
  },
  {
    title: 'Remove a conditional split',
    query: `# Changes data, once: takes the split "Family or
# solo?" out of the funnel "Tent Quiz". "branch"
# names what is discarded: MATCHED, UNMATCHED or
# BOTH. The steps of a branch that is kept take
# the split's place. For another split, take both
# ids from "Conditional splits and their ids".
# To put it back, and run this again:
#   npx funnel-gateway demo restore
mutation RemoveSplit($input: RemoveConditionalSplitInput!) {
  removeConditionalSplit(input: $input) {
    funnel {
      name
      steps {
        name
      }
    }
    removedSplitId
    promotedPages {
      name
    }
    discardedPages {
      name
    }
  }
}
`,
    variables: variables({
      input: { funnelId: 'RnVubmVsOjM=', splitId: 'Q29uZGl0aW9uYWxTcGxpdFN0ZXA6MTg=', branch: 'MATCHED' },
    }),
  },
];
