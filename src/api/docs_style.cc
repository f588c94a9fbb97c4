#include "api/docs_style.h"

namespace api {

std::string_view docs_style() {
  return R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #e90; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: flex; align-items: flex-start; }
a { text-underline-offset: .15em; }
nav { position: sticky; top: 0; width: 19rem; height: 100vh; overflow: auto; padding: 1.5rem;
  flex: none; font-size: .9rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: .2rem 0 1rem; padding: 0; }
nav li { margin: .2rem 0; line-height: 1.35; }
nav a { text-decoration: none; }
nav a:hover, nav a:focus { text-decoration: underline; }
main { flex: 1; min-width: 0; max-width: 64rem; padding: 1.5rem 2.5rem 6rem; }
h1 small { font-weight: normal; opacity: .7; }
h2 { margin-top: 4rem; border-bottom: 2px solid var(--line); }
h3 { margin: 0 0 .4rem; font-size: 1.25rem; }
h4 { margin: 1.2rem 0 .4rem; }
section { margin: 1.5rem -1.25rem; padding: 1rem; border-left: .25rem solid transparent; }
section:target { border-left-color: var(--mark); }
.line { margin-top: 0; }
.line code { margin-right: .6rem; }
code, pre { font: .9em/1.45 ui-monospace, monospace; }
code { background: var(--soft); border-radius: .25rem; padding: .1em .2em; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .3rem;
  padding: .7rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: .9rem;
  margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th { font-weight: 600; opacity: .75; }
.parameters th:nth-child(1) { width: 22%; }
.fields th:nth-child(1) { width: 30%; }
.parameters th:nth-child(2) { width: 5rem; }
.parameters th:nth-child(3), .fields th:nth-child(2) { width: 28%; }
.fields th:nth-child(3) { width: 6.5rem; }
.answer { margin: .4rem 0; }
summary { cursor: pointer; }
@media (max-width: 55rem) {
  body { display: block; }
  nav { position: static; width: auto; height: auto; border: 0; padding: 1rem; }
  main { padding: 1rem; }
  section { margin: 1rem -.75rem; padding: .5rem; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  td { border: 0; padding: .1rem 0; }
  td:empty { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
}
@media print { nav { display: none; } }
)";
}

}  // namespace api
