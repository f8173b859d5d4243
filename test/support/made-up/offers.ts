// The made-up noun over both faces.
import { builder } from '../../../src/graphql/builder.ts';
import { defineConnection } from '../../../src/graphql/connection.ts';
import { defineChanges } from '../../../src/graphql/mutations.ts';
import { defineNode } from '../../../src/graphql/nodes.ts';
import { Workspace } from '../../../src/graphql/workspaces.ts';
import { nounRoutes } from '../../../src/rest/noun-routes.ts';
import { readsOf } from '../../../src/services/reads.ts';
import { writesOf } from '../../../src/services/writes.ts';
import { tableOf } from '../../../src/store/tables/tables.ts';
import { serveRoutes } from '../made-up-routes.ts';
import { type OfferRow, offer } from './offer.ts';

const OFFERS = tableOf(offer);
const service = { ...readsOf(OFFERS, 'store:read'), ...writesOf(OFFERS, 'store:write') };

/** Sends requests to its routes alone. */
export const sendOffer = serveRoutes(nounRoutes(offer, service, { parent: 'workspace', path: 'offers' }));

const Offer = defineNode<OfferRow>(offer, service);
const OfferConnection = defineConnection(Offer, offer, service);
defineChanges(Offer, offer, service, Workspace, OfferConnection);
builder.objectField(Workspace.ref, 'offers', (t) => OfferConnection.field(t, 'The offers.'));
