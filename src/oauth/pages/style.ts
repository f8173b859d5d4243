// The style sheet of all pages. It is part of each page, and the Content-Security-Policy allows it by its hash.

export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1c1c22; --soft: #5b5b66; --line: #d5d5dd; --field: #8a8a96; --page: #f4f4f7; --card: #fff;
  --accent: #c00580; --accent-text: #fff; --plain: #3c3c46; --plain-text: #fff; --focus: #0b5fd6;
  --bad: #a31621; --bad-back: #fdeeee; --warn: #8a5200; --good: #14622f; --good-back: #e9f6ed; --tint: #f7f7fa;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #f1f1f4; --soft: #b0b0bc; --line: #3a3a45; --field: #858593; --page: #131317; --card: #1d1d23;
    --accent: #ff8ad0; --accent-text: #2b0019; --plain: #d2d2dc; --plain-text: #17171b; --focus: #8ab8ff;
    --warn: #ffcf87; --bad: #ffb4b4; --bad-back: #3a1b1e; --good: #a6e3b8; --good-back: #17301f; --tint: #25252d;
  }
}
* { box-sizing: border-box; }
html { background: var(--page); -webkit-text-size-adjust: 100%; }
body { margin: 0; padding: 2.5rem 1rem 3rem; color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body > header { display: flex; align-items: center; justify-content: center; gap: .625rem; margin-bottom: 1.5rem; font-size: 1.0625rem; font-weight: 600; }
header rect { fill: #d60590; }
header path { fill: #fff; }
main { max-width: 30rem; margin: 0 auto; padding: 2rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 0 0 .75rem; font-size: 1.1875rem; line-height: 1.35; }
h3 { margin: 0; font-size: 1.0625rem; line-height: 1.35; }
section { margin-top: 1.75rem; }
p { margin: 0 0 1rem; }
.soft, small { color: var(--soft); font-size: .9375rem; }
a { color: inherit; text-underline-offset: .15em; }
form { margin: 0; }
label.over { display: block; margin: 0 0 1.125rem; font-weight: 600; }
input:is([type=email], [type=password]) {
  display: block; width: 100%; margin-top: .375rem; padding: .625rem .75rem; border: 1px solid var(--field); border-radius: .5rem;
  background: var(--card); color: inherit; font: inherit; font-weight: 400;
}
input[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.buttons { display: flex; gap: .75rem; margin-top: 1.5rem; }
button {
  flex: 1; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid transparent; border-radius: .5rem;
  background: var(--plain); color: var(--plain-text); font: inherit; font-weight: 600; cursor: pointer;
}
button.accent { background: var(--accent); color: var(--accent-text); }
button.quiet { flex: none; border-color: var(--field); background: none; color: inherit; }
button:hover { filter: brightness(1.12); }
.alert, .notice { margin: 0 0 1.25rem; padding: .75rem 1rem; border-left: 4px solid var(--bad); border-radius: .375rem; background: var(--bad-back); color: var(--bad); font-weight: 600; }
.notice { border-color: var(--good); background: var(--good-back); color: var(--good); }
fieldset { min-width: 0; margin: 1.5rem 0 0; padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
.choice { display: flex; align-items: flex-start; gap: .75rem; padding: .4375rem 0; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0; accent-color: var(--accent); }
.choice:has(:disabled) { color: var(--soft); }
.choice small { display: block; }
.choice small::first-letter { text-transform: uppercase; }
.box { padding: .25rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.box ~ p { margin: .5rem 0 0; color: var(--soft); font-size: .9375rem; text-wrap: balance; }
.box > * + * { border-top: 1px solid var(--line); }
.inside { margin-left: 1.875rem; }
@supports selector(:has(*)) {
  .opens:not(:has(> .choice > input:checked)) > .inside { display: none; }
}
.about { margin: 0 0 1rem; padding: .75rem 1rem; border-radius: .5rem; background: var(--tint); font-size: .9375rem; }
.warn { color: var(--warn); font-weight: 600; }
.about > :last-child, .inside > :last-child { margin-bottom: 0; }
.grants { margin: 0; padding: 0; list-style: none; }
.grants > li:last-child { padding-bottom: 0; }
.grants > li { padding: 1.25rem 0; border-top: 1px solid var(--line); }
.grants p { margin-bottom: .5rem; }
.grants ul { margin: 0 0 1rem; padding-left: 1.25rem; list-style: disc; }
.links { margin: 0; padding: 0; list-style: none; }
.links > li + li { margin-top: .875rem; }
.links a { font-weight: 600; }
.row { margin-bottom: 1.25rem; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .75rem; }
.row p { margin: 0; }
summary { padding: .25rem 0; cursor: pointer; font-weight: 600; }
details[open] > summary { margin-bottom: 1rem; }
dl.about { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1.5rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; }
code { font: .9375em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (width < 30rem) {
  body { padding: 1.25rem 0 2rem; }
  main { padding: 1.5rem 1.25rem; border-width: 1px 0; border-radius: 0; }
}
@media (forced-colors: active) { button { border-color: ButtonText; } }
@media print { button { display: none; } }
`;
