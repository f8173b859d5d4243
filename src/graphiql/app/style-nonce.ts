// Monaco and Radix make <style> elements at run time. Each gets the page's nonce, so that the Content-Security-Policy
// does not have to allow every inline style element.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;

if (nonce) {
  const createElement = document.createElement;
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
    const element = createElement.call(this, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  } as typeof document.createElement;
}
