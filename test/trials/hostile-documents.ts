// Kinds of documents that are valid in form and cost validation, or what comes before it, as much as they can. Pure.

const n = (k: number, f: (i: number) => string, sep = ' ') =>
  Array.from({ length: k }, (_, i) => f(i)).join(sep);
const T = '__type(name: "Contact")';
const W = 'workspace(by: { subdomain: "x" })';
export const HOSTILE_DOCUMENTS: Readonly<Record<string, (k: number) => string>> = {
  'same leaf k times': (k) => `{ viewer { ${'name '.repeat(k)} } }`,
  'same field with args': (k) => `{ ${n(k, () => `node(id: "x") { id }`)} }`,
  'same composite, one leaf': (k) => `{ ${n(k, () => `viewer { kind }`)} }`,
  'same alias different fields': (k) => `{ ${W} { ${n(k, (i) => `a: ${i % 2 ? 'id' : 'name'}`)} } }`,
  'inline fragments': (k) => `{ viewer { ${n(k, () => `... { name }`)} } }`,
  'inline nested': (k) => `{ viewer { ${n(k, () => `... on Viewer { name }`)} } }`,
  'spread same fragment': (k) => `{ viewer { ${'...F '.repeat(k)} } } fragment F on Viewer { name }`,
  'many fragments spread at one level': (k) =>
    `{ viewer { ${n(k, (i) => `...F${i}`)} } } ${n(k, (i) => `fragment F${i} on Viewer { name }`)}`,
  'many fragments, same composite': (k) =>
    `{ ${n(k, (i) => `...F${i}`)} } ${n(k, (i) => `fragment F${i} on Query { viewer { name } }`)}`,
  'chain of fragments': (k) =>
    `{ ...F0 } ${n(k, (i) => `fragment F${i} on Query { ...F${i + 1} viewer { name } }`)} fragment F${k} on Query { viewer { kind } }`,
  'chain, double spread': (k) =>
    `{ ...F0 } ${n(k, (i) => `fragment F${i} on Query { viewer { name } ...F${i + 1} ...F${i + 1} }`)} fragment F${k} on Query { viewer { kind } }`,
  ladder: (k) =>
    `{ ...F0 } ${n(k, (i) => `fragment F${i} on Query { ${n(Math.max(0, k - i), (j) => `...F${i + j + 1}`)} __typename }`)} fragment F${k} on Query { viewer { kind } }`,
  'recursive alias composites': (k) =>
    `{ ${n(k, () => `${W} { ...F }`)} } fragment F on Workspace { team { ...G } } fragment G on Team { workspaces { nodes { id } } }`,
  cycles: (k) => `{ ...F0 } ${n(k, (i) => `fragment F${i} on Query { ...F${(i + 1) % k} viewer { name } }`)}`,
  'cycle through fields': (k) =>
    `{ ${W} { ...F0 } } ${n(k, (i) => `fragment F${i} on Workspace { team { workspaces { nodes { ...F${(i + 1) % k} ...F${(i + 2) % k} } } } }`)}`,
  'all cycles': (k) => `{ ...F0 } ${n(k, (i) => `fragment F${i} on Query { ${n(k, (j) => `...F${j}`)} }`)}`,
  'unknown directives': (k) => `{ viewer { name ${n(k, (i) => `@d${i}`)} } }`,
  'include k times': (k) => `{ viewer { name ${n(k, () => `@include(if: true)`)} } }`,
  'fields with include': (k) => `{ viewer { ${n(k, (i) => `a${i}: name @include(if: true)`)} } }`,
  variables: (k) => `query (${n(k, (i) => `$a${i}: Int = 1`)}) { __typename }`,
  'variables used': (k) =>
    `query (${n(k, (i) => `$a${i}: ID!`)}) { ${n(k, (i) => `a${i}: node(id: $a${i}) { id }`)} }`,
  'variables undefined': (k) => `query { ${n(k, (i) => `a${i}: node(id: $a${i}) { id }`)} }`,
  'operations x variables x fragments': (k) =>
    `${n(k, (i) => `query Q${i}($v: ID!) { ...F }`)} fragment F on Query { ${n(k, (i) => `a${i}: node(id: $v) { id }`)} }`,
  'operations x fragments': (k) =>
    `${n(k, (i) => `query Q${i} { ...F0 }`)} ${n(k, (i) => `fragment F${i} on Query { ...F${i + 1} }`)} fragment F${k} on Query { __typename }`,
  'same args': (k) => `{ node(${n(k, () => `id: "x"`)}) { id } }`,
  'two fields, many args': (k) =>
    `{ node(${n(k / 2, (i) => `a${i}: 1`)}) { id } node(${n(k / 2, (i) => `a${i}: 1`)}) { id } }`,
  'unknown fields': (k) => `{ viewer { ${n(k, (i) => `nope${i}`)} } }`,
  'unknown types': (k) => `{ ${n(k, (i) => `... on Nope${i} { id }`)} }`,
  'unknown args': (k) => `{ node(id: "x", ${n(k, (i) => `workspaceI${i}: 1`)}) { id } }`,
  'input object fields': (k) =>
    `mutation { createContact(input: { ${n(k, (i) => `firstNam${i}: "x"`)} }) { __typename } }`,
  'same input fields': (k) =>
    `mutation { createContact(input: { ${n(k, () => `firstName: "x"`)} }) { __typename } }`,
  'list values': (k) => `{ nodes(ids: [${n(k, () => `"x"`)}]) { id } }`,
  'nested lists same field': (k) =>
    `{ nodes(ids: [${n(k / 2, () => `"x"`)}]) { id } nodes(ids: [${n(k / 2, () => `"x"`)}]) { id } }`,
  'same node with long args': (k) => {
    const m = Math.floor(Math.sqrt(k));
    return `{ ${n(m, () => `nodes(ids: [${n(m, () => `"x"`)}]) { id }`)} }`;
  },
  'same big object arg': (k) => {
    const m = Math.floor(Math.sqrt(k));
    return `mutation { ${n(m, () => `createContact(input: {customAttributes: [${n(m, () => `{name: "x"}`)}]}) { __typename }`)} }`;
  },
  'nodes with on-types': (k) =>
    `{ node(id: "x") { ${n(k, (i) => `... on ${['Team', 'Workspace', 'Contact', 'Funnel'][i % 4]} { id publicId }`)} } }`,
  'deep same': (k) => {
    const d = 12;
    const m = Math.max(1, Math.floor(k / d));
    let s = 'id ';
    for (let i = 0; i < d; i++) s = i % 2 ? `workspaces { nodes { ${s} } } ` : `team { ${s} } `;
    return `{ ${n(m, () => `${W} { ${s} }`)} }`;
  },
  'binary nesting': (k) => {
    let s = 'id';
    let c = 1;
    while (c < k) {
      s = `team { workspaces { nodes { ${s} } } } team { workspaces { nodes { ${s} } } }`;
      c = c * 2 + 7;
    }
    return `{ ${W} { ${s} } }`;
  },
  subscriptions: (k) => `subscription { ${n(k, (i) => `a${i}: x`)} }`,
  'nested fragments sharing': (k) => {
    const m = Math.floor(k / 6);
    return `{ ${W} { ...A0 ...B0 } } ${n(m, (i) => `fragment A${i} on Workspace { team { workspaces { nodes { ...A${i + 1} } } } }`)} ${n(m, (i) => `fragment B${i} on Workspace { team { workspaces { nodes { ...B${i + 1} } } } }`)} fragment A${m} on Workspace { id } fragment B${m} on Workspace { id }`;
  },
  'cross fragments': (k) => {
    const m = Math.floor(k / 8);
    return `{ ${W} { ${n(m, (i) => `...A${i}`)} } } ${n(m, (i) => `fragment A${i} on Workspace { team { ...T${i} } }`)} ${n(m, (i) => `fragment T${i} on Team { workspaces { nodes { id } } }`)}`;
  },
  'cross fragments 2': (k) => {
    const m = Math.floor(Math.sqrt(k));
    return `{ ${W} { ${n(m, (i) => `...A${i}`)} } } ${n(m, (i) => `fragment A${i} on Workspace { ${n(m, (j) => `team { ...T${j} }`)} }`)} ${n(m, (i) => `fragment T${i} on Team { workspaces { nodes { id } } }`)}`;
  },
  'cycle of types': (k) =>
    `{ ${T} { ...F0 } } ${n(k, (i) => `fragment F${i} on __Type { ofType { ...F${(i + 1) % k} ...F${(i + 2) % k} } }`)}`,
  'parallel chains': (k) =>
    `{ ${T} { ...A0 ...B0 } } ${n(k, (i) => `fragment A${i} on __Type { ofType { ...A${i + 1} } } fragment B${i} on __Type { ofType { ...B${i + 1} } }`)} fragment A${k} on __Type { name } fragment B${k} on __Type { name }`,
};
