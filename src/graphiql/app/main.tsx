// Starts the explorer. The order matters: the URL is read and cleaned first, and the nonce must be set before anything creates a style
// element.
import './address.ts';
import './style-nonce.ts';
import './workers.ts';
import 'graphiql/graphiql.css';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import './app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { redeemDemoLink } from './credentials.ts';
import { resumeSession } from './session.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
void resumeSession();
void redeemDemoLink();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
