/** The page's whole appearance; its hash is in the page's policy, so nothing else can style it. */
export const style = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1c1e21;--dim:#667;--line:#dde;--soft:#f5f6f8;--me:#eef4ff;--red:#b3261e;--green:#146c2e;--yellow:#8a5a00;--blue:#1a56b0;--violet:#7b2d9b;--cyan:#0b6a75}
@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e4e6ea;--dim:#9aa1ad;--line:#333842;--soft:#1f2228;--me:#1d2a40;--red:#ff8a80;--green:#7bd88f;--yellow:#f0c060;--blue:#8ab4f8;--violet:#d7a0f0;--cyan:#6fd3de}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:.2rem 0}
h2{font-size:.9rem;font-weight:600;color:var(--dim);margin:0 0 .5rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.5rem 0;font-size:.9rem}
dt{color:var(--dim)}dd{margin:0}
section{border-top:1px solid var(--line);padding:1rem 0}
pre{margin:.4rem 0;padding:.5rem .7rem;background:var(--soft);border-radius:.3rem;font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;max-height:40rem;overflow:auto}
.text{white-space:pre-wrap;margin:.4rem 0}
.me{background:var(--me);border-radius:.5rem;padding:.2rem .8rem;margin:.6rem 0}
.who{font-size:.8rem;color:var(--dim)}
details{margin:.4rem 0;border:1px solid var(--line);border-radius:.3rem;padding:.2rem .6rem}
summary{cursor:pointer;font:13px/1.6 ui-monospace,monospace}
.mark,.left{color:var(--dim);font-size:.85rem;margin:.4rem 0;white-space:pre-wrap}
.bad{color:var(--red)}.warn{color:var(--yellow)}.good{color:var(--green)}
.note{border-left:3px solid var(--yellow);padding:.1rem .8rem;margin:.8rem 0;font-size:.9rem}
.note.bad{border-color:var(--red);color:inherit}
.gone{opacity:.6;border-left:3px dashed var(--line);padding-left:.6rem}
.diff span{display:inline}.add{color:var(--green)}.del{color:var(--red)}.at{color:var(--cyan)}
img{max-width:100%;height:auto;border:1px solid var(--line)}
.b{font-weight:700}.d{opacity:.7}
.c0,.c8{color:var(--dim)}.c1,.c9{color:var(--red)}.c2,.c10{color:var(--green)}.c3,.c11{color:var(--yellow)}.c4,.c12{color:var(--blue)}.c5,.c13{color:var(--violet)}.c6,.c14{color:var(--cyan)}
@media(max-width:40rem){body{padding:.5rem}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}
@media print{body{max-width:none}pre{max-height:none;overflow:visible}details{break-inside:avoid}}
`
