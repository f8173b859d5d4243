// The queries the explorer opens with. They run against the demo data: a test runs each.
import { type Example, variables } from './example.ts';
import { changes } from './example-changes.ts';

export const examples: readonly Example[] = [
  {
    title: 'Who am I, and what may I see?',
    query: `# Who your key stands for, its scopes,
# and how much one workspace holds.
# Sign in or paste a key above, then
# tap the arrow or press Ctrl-Enter.
query Overview($subdomain: String!) {
  viewer {
    kind
    scopes
    teams {
      nodes {
        name
      }
    }
  }
  workspace(subdomain: $subdomain) {
    databaseId
    name
    contacts {
      totalCount
    }
    funnels {
      totalCount
    }
  }
}
`,
    variables: variables({ subdomain: 'acme' }),
  },
  {
    title: 'Contacts, newest first, page by page',
    query: `# The newest contacts of a workspace.
# For the next page, put pageInfo.endCursor
# into "after". A page has 20 contacts unless
# "first" says otherwise, and 100 at most.
query Contacts(
  $subdomain: String!
  $first: Int
  $after: String
) {
  workspace(subdomain: $subdomain) {
    contacts(
      first: $first
      after: $after
      sortOrder: DESC
    ) {
      totalCount
      nodes {
        databaseId
        emailAddress
        firstName
        lastName
        createdAt
        tags {
          name
          color
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
`,
    variables: variables({ subdomain: 'acme', first: 10, after: null }),
  },
  {
    title: 'Funnels and their steps',
    query: `# Funnels with the steps of their workflow,
# the steps on a split's branches below it.
query Funnels($subdomain: String!) {
  workspace(subdomain: $subdomain) {
    funnels(first: 5) {
      nodes {
        name
        currentPath
        steps {
          __typename
          name
          ... on ConditionalSplitStep {
            branches {
              branch
              steps {
                __typename
                name
              }
            }
          }
        }
      }
    }
  }
}
`,
    variables: variables({ subdomain: 'acme' }),
  },
  {
    title: 'Teams and workspaces',
    query: `# All that your key can reach:
# each team with its workspaces.
query Teams {
  teams(first: 20, sortOrder: ASC) {
    edges {
      cursor
      node {
        id
        name
        workspaces(first: 20) {
          nodes {
            id
            databaseId
            publicId
            name
            subdomain
          }
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
    variables: '',
  },
  {
    title: 'Saved filters and webhook endpoints',
    query: `# The refine filters of a workspace,
# and where it sends its webhooks.
query FiltersAndWebhooks($subdomain: String!) {
  workspace(subdomain: $subdomain) {
    refineFilters(first: 20) {
      nodes {
        name
        filterClass
        criteria {
          attribute
          clause
          value
        }
      }
    }
    webhookEndpoints(first: 20) {
      nodes {
        name
        url
        eventTypeIds
        apiVersion
      }
    }
  }
}
`,
    variables: variables({ subdomain: 'acme' }),
  },
  {
    title: 'Conditional splits and their ids',
    query: `# Every conditional split, nested ones too, with
# the saved filter that decides the branch. The
# ids are those that the removal asks for: first
# the funnel's, then the split's.
query Splits($subdomain: String!) {
  workspace(subdomain: $subdomain) {
    funnels(first: 20) {
      nodes {
        id
        name
        conditionalSplitSteps(first: 20) {
          nodes {
            id
            name
            filter {
              name
            }
          }
        }
      }
    }
  }
}
`,
    variables: variables({ subdomain: 'acme' }),
  },
  ...changes,
];
