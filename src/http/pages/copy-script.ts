// The script of the guides' pages: a button beside each block of code that copies it. It is served as a file, because no page has an inline
// script.
import { createHash } from 'node:crypto';

const SCRIPT = `for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(block.innerText).then(() => true, () => false);
    button.textContent = copied ? 'Copied' : 'Not copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
}
`;

/** Its path contains a hash of it, so that browsers may keep it. */
export const COPY_SCRIPT_PATH = `/copy-code-${createHash('sha256').update(SCRIPT).digest('hex').slice(0, 8)}.js`;

export function copyScript(): Response {
  return new Response(SCRIPT, {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  });
}
