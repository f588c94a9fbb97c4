"""Each rule of check_layers.py fails on a planted violation and passes on a clean tree."""

import unittest

from planted_tree import PlantedTreeTest  # First: it makes the tools importable.

import check_layers


class CheckLayersTest(PlantedTreeTest):
    tool = check_layers

    def test_allowed_includes_pass(self):
        self.plant("src/base/time.h")
        self.plant("src/model/event.h", '#include <vector>\n#include "base/time.h"\n')
        self.plant("src/core/lane.cc", '#include "model/event.h"\n#include "base/time.h"\n')
        self.plant("src/app/main.cc", '#include "core/lane.h"\n')
        self.plant("tests/sim/swarm.cc", '#include "tests/sim/checks/ledger.h"\n')
        self.plant("tests/sim/checks/ledger.h", '#include "model/event.h"\n')
        self.assert_clean()

    def test_each_folder_is_held_to_its_row(self):
        folders = [folder for folder in check_layers.LAYERS if folder.startswith("src/")]
        for folder in folders:
            for target in folders:
                with self.subTest(folder=folder, target=target):
                    allowed = target == folder or target in check_layers.LAYERS[folder]
                    self.plant(f"{target}/target.h")
                    self.plant(f"{folder}/user.cc", f'#include "{target[4:]}/target.h"\n')
                    if allowed:
                        self.assert_clean()
                    else:
                        self.assert_finds(f"{folder}/user.cc:1", "may include only itself and")
                    (self.root / folder / "user.cc").unlink()

    def test_rows_point_downwards_only(self):
        seen = set()
        for folder, allowed in check_layers.LAYERS.items():
            if folder.startswith("src/"):
                self.assertLessEqual(set(allowed), seen, folder)
                seen.add(folder)

    def test_checkers_may_not_know_the_core(self):
        self.plant("src/core/lane.h")
        self.plant("tests/sim/checks/model.cc", '\n#include "core/lane.h"\n')
        self.assert_finds("tests/sim/checks/model.cc:2", "may include only itself and model, base")

    def test_checkers_may_not_know_the_simulator(self):
        self.plant("tests/sim/swarm.h")
        self.plant("tests/sim/checks/model.cc", '#include "tests/sim/swarm.h"\n')
        self.assert_finds("tests/sim/checks/model.cc:1", "may include only itself and model, base")

    def test_program_may_not_know_the_tests(self):
        self.plant("tests/sim/swarm.h")
        self.plant("src/app/main.cc", '#include "tests/sim/swarm.h"\n')
        self.assert_finds("src/app/main.cc:1", "app may include only itself and")

    def test_angle_brackets_do_not_hide_an_edge(self):
        self.plant("src/core/lane.h")
        self.plant("src/store/store.h", "#include <core/lane.h>\n")
        self.assert_finds("src/store/store.h:1", "store may include only itself and model, base")

    def test_subfolder_is_held_to_the_row_of_its_parent(self):
        self.plant("src/core/lane.h")
        self.plant("src/store/rocks/keys.h", '#include "core/lane.h"\n')
        self.assert_finds("src/store/rocks/keys.h:1", "store may include only itself")

    def test_folder_without_a_row_is_refused(self):
        self.plant("src/extras/thing.h")
        self.assert_finds("src/extras/thing.h:1", "src/extras has no row in LAYERS")

    def test_file_directly_in_src_is_refused(self):
        self.plant("src/thing.h")
        self.assert_finds("src/thing.h:1", "src has no row in LAYERS")

    def test_parent_paths_are_refused(self):
        self.plant("src/core/lane.h", '#include "../base/time.h"\n')
        self.assert_finds("src/core/lane.h:1", 'without ".."')

    def test_bare_name_of_a_sibling_is_refused(self):
        self.plant("src/core/lane.h")
        self.plant("src/core/lane.cc", '#include "lane.h"\n')
        self.assert_finds("src/core/lane.cc:1", 'write "core/lane.h"')

    def test_architecture_page_with_the_table_passes(self):
        self.plant("ARCHITECTURE.md", "# Architecture\n\n" + check_layers.table_markdown())
        self.assert_clean()

    def test_architecture_page_with_another_table_is_refused(self):
        table = check_layers.table_markdown().replace("| `core` | model, base |", "| `core` | |")
        self.plant("ARCHITECTURE.md", "# Architecture\n\n" + table)
        self.assert_finds("ARCHITECTURE.md:1", "--print-table")

    def test_print_table_prints_every_row(self):
        _, output = self.run_tool("--print-table")
        self.assertIn("| `base` | nothing |", output)
        self.assertIn("| `core` | model, base |", output)
        self.assertEqual(len(output.splitlines()), 2 + len(check_layers.LAYERS))


if __name__ == "__main__":
    unittest.main()
