// The queries the explorer opens with. They run against the demo data; a test validates each against the schema.
export interface Example {
  title: string;
  query: string;
  variables: string;
}

export const examples: readonly Example[] = [
  {
    title: 'Who am I, and what may I see?',
    query: `# Who your key stands for, its scopes,
# and how much one workspace holds.
# Paste your key above, then press Ctrl-Enter.
query Overview($subdomain: String!) {
  viewer {
    kind
    scopes
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
query Contacts($subdomain: String!, $first: Int, $after: String) {
  workspace(subdomain: $subdomain) {
    contacts(first: $first, after: $after, sortOrder: DESC) {
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
    query: `# Funnels with the steps of their workflow.
# The example that removes a conditional split
# takes its ids from here.
query Funnels($subdomain: String!) {
  workspace(subdomain: $subdomain) {
    funnels(first: 20) {
      nodes {
        id
        databaseId
        name
        currentPath
        steps {
          id
          databaseId
          name
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
    title: 'Remove a conditional split (changes data)',
    query: `# Changes data: takes a split out of a funnel,
# with the branch you name (MATCHED, UNMATCHED
# or BOTH). A branch that stays moves up into
# the split's place. Take both ids from the
# example "Funnels and their steps".
mutation RemoveConditionalSplit($input: RemoveConditionalSplitInput!) {
  removeConditionalSplit(input: $input) {
    funnel {
      id
      name
    }
    removedSplitId
    promotedPages {
      id
      name
    }
    discardedPages {
      id
      name
    }
  }
}
`,
    variables: variables({ input: { funnelId: '…', splitId: '…', branch: 'BOTH' } }),
  },
];

function variables(values: Record<string, unknown>): string {
  return JSON.stringify(values, null, 2);
}
