#include "api/docs_style.h"

namespace api {

std::string_view docs_style() {
  return R"(
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: flex; align-items: flex-start; }
nav { position: sticky; top: 0; width: 20rem; max-height: 100vh; overflow: auto; padding: 1.5rem;
  flex: none; font-size: .9rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: .2rem 0 1rem; padding: 0; }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1.5rem 2rem 6rem; }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); }
h3 { margin: 2rem 0 .3rem; }
h4 { margin: 1rem 0 .3rem; }
section:target > h3 { background: #fc04; }
.line { margin-top: 0; }
code, pre { font: .9em/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .3rem;
  padding: .7rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.answer { margin: .3rem 0; }
@media (max-width: 55rem) {
  body { display: block; }
  nav { position: static; width: auto; max-height: none; border: 0; }
  main { padding: 1rem; }
}
@media print { nav { display: none; } }
)";
}

}  // namespace api
