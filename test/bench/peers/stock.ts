// Yoga + Pothos + @pothos/plugin-prisma + Prisma as their documentation shows them: prismaNode, relatedConnection and
// relation do the work, so that nested fields become nested selections of one Prisma query.
import { createServer } from 'node:http';
import { env } from 'node:process';
import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import { PrismaPg } from '@prisma/adapter-pg';
import { createYoga } from 'graphql-yoga';
import { PrismaClient } from './.cache/client/client.ts';
import type PrismaTypes from './.cache/pothos-types.ts';
import { getDatamodel } from './.cache/pothos-types.ts';

const { DATABASE_URL = '', POOL_SIZE = '10', PORT } = env;
const adapter = new PrismaPg({
  connectionString: DATABASE_URL,
  max: Number(POOL_SIZE),
});
const prisma = new PrismaClient({ adapter });

const builder = new SchemaBuilder<{
  PrismaTypes: PrismaTypes;
  Scalars: {
    ID: { Input: string; ByteWriter: string | number | bigint };
    BigInt: { Input: bigint; ByteWriter: bigint };
    DateTime: { Input: Date; ByteWriter: Date };
  };
}>({
  plugins: [PrismaPlugin, RelayPlugin],
  prisma: { client: prisma, dmmf: getDatamodel() },
  relay: {},
});

builder.scalarType('BigInt', {
  serialize: (value) => Number(value),
  parseValue: (value) => BigInt(value as number),
  parseLiteral: (node) => BigInt('value' in node ? String(node.value) : 0),
});
builder.scalarType('DateTime', { serialize: (value) => value.toISOString() });

builder.prismaNode('Contact', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    publicId: t.exposeString('publicId'),
    emailAddress: t.exposeString('emailAddress', { nullable: true }),
    firstName: t.exposeString('firstName', { nullable: true }),
    lastName: t.exposeString('lastName', { nullable: true }),
    phoneNumber: t.exposeString('phoneNumber', { nullable: true }),
    timeZone: t.exposeString('timeZone', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaNode('ProductVariant', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    name: t.exposeString('name'),
    sku: t.exposeString('sku', { nullable: true }),
  }),
});

builder.prismaNode('ProductPrice', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    name: t.exposeString('name', { nullable: true }),
    paymentType: t.exposeString('paymentType'),
    amount: t.string({ resolve: ({ amount }) => amount.toString() }),
  }),
});

builder.prismaNode('OrderLineItem', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    quantity: t.exposeInt('quantity'),
    amount: t.string({ resolve: ({ amount }) => amount.toString() }),
    variant: t.relation('variant'),
    price: t.relation('price'),
  }),
});

builder.prismaNode('Order', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    orderNumber: t.exposeInt('orderNumber'),
    billingStatus: t.exposeString('billingStatus'),
    currency: t.exposeString('currency'),
    totalAmount: t.string({ resolve: ({ totalAmount }) => totalAmount.toString() }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    contact: t.relation('contact'),
    lineItems: t.relation('lineItems', { query: { orderBy: { id: 'asc' } } }),
  }),
});

builder.prismaNode('FunnelStep', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    kind: t.exposeString('kind'),
    name: t.exposeString('name'),
    parentId: t.expose('parentId', { type: 'BigInt', nullable: true }),
    branch: t.exposeString('branch', { nullable: true }),
    position: t.exposeInt('position'),
  }),
});

builder.prismaNode('Funnel', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    name: t.exposeString('name'),
    currentPath: t.exposeString('currentPath'),
    steps: t.relation('steps', { query: { where: { removedAt: null }, orderBy: { id: 'asc' } } }),
  }),
});

builder.prismaNode('Workspace', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    name: t.exposeString('name'),
    contacts: t.relatedConnection('contacts', { cursor: 'id', query: { orderBy: { id: 'asc' } } }),
    orders: t.relatedConnection('orders', { cursor: 'id', query: { orderBy: { id: 'asc' } } }),
    funnels: t.relatedConnection('funnels', { cursor: 'id', query: { orderBy: { id: 'asc' } } }),
  }),
});

builder.prismaNode('Team', {
  id: { field: 'id' },
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt' }),
    workspaces: t.relatedConnection('workspaces', { cursor: 'id', query: { orderBy: { id: 'asc' } } }),
  }),
});

const Key = builder.inputType('Key', {
  fields: (t) => ({ databaseId: t.field({ type: 'BigInt', required: true }) }),
});

builder.queryType({
  fields: (t) => ({
    workspace: t.prismaField({
      type: 'Workspace',
      nullable: true,
      args: { by: t.arg({ type: Key, required: true }) },
      resolve: (query, _root, { by: { databaseId } }) =>
        prisma.workspace.findUnique({ ...query, where: { id: databaseId } }),
    }),
    team: t.prismaField({
      type: 'Team',
      nullable: true,
      args: { by: t.arg({ type: Key, required: true }) },
      resolve: (query, _root, { by: { databaseId } }) =>
        prisma.team.findUnique({ ...query, where: { id: databaseId } }),
    }),
  }),
});

builder.mutationType({
  fields: (t) => ({
    createContact: t.prismaField({
      type: 'Contact',
      args: {
        workspaceId: t.arg({ type: 'BigInt', required: true }),
        emailAddress: t.arg.string(),
        firstName: t.arg.string(),
        lastName: t.arg.string(),
        phoneNumber: t.arg.string(),
      },
      resolve: (query, _root, data) => prisma.contact.create({ ...query, data }),
    }),
  }),
});

const yoga = createYoga({ schema: builder.toSchema(), graphiql: false });
createServer(yoga).listen(Number(PORT), '127.0.0.1');
