// Starts the reference of the REST API. The order matters: the URL is read and cleaned first, and the nonce must be set before anything
// creates a style element. So the library is imported last, while the bar above it can be used already.
import '../address.ts';
import '../style-nonce.ts';
import './no-eval.ts';
import './reference.css';
import { redeemDemoLink } from '../credentials.ts';
import { resumeSession } from '../session.ts';
import { loadDocument } from './document.ts';
import { openFirstHitOnEnter } from './search-keys.ts';
import { showTopBar } from './top-bar.ts';

void resumeSession();
void redeemDemoLink();
showTopBar();
openFirstHitOnEnter();

const [content, { showReference }] = await Promise.all([loadDocument(), import('./show-reference.ts')]);
showReference(content);
