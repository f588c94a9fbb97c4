"""What a core file of a running process would hold, or a debugger's gcore, read by root without stopping it."""

import os
import re

MAPPING = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$")
NOT_MEMORY = ("[vvar]", "[vvar_vclock]", "[vsyscall]")
# What is larger than all memory is a sanitizer's table of which bytes may be touched, not the bytes.
SIZE_MAX = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _mappings(process_id):
    """(begin, size, is_dumped) of each that can be read; "dd" is the mark of MADV_DONTDUMP."""
    begin = size = 0
    with open(f"/proc/{process_id}/smaps", encoding="utf-8") as lines:
        for line in lines:
            if found := MAPPING.match(line):
                begin, end = int(found[1], 16), int(found[2], 16)
                size = end - begin if "r" in found[3] and found[4] not in NOT_MEMORY else 0
            elif line.startswith("VmFlags:") and 0 < size <= SIZE_MAX:
                yield begin, size, "dd" not in line.split()


def find_in_memory(process_id, needles, is_dumped):
    """The names of those that are in pages that a dump holds, or in those that it leaves out."""
    found = set()
    with open(f"/proc/{process_id}/mem", "rb", 0) as memory:
        for begin, size, is_in_dump in list(_mappings(process_id)):
            if is_in_dump == is_dumped:
                memory.seek(begin)
                content = memory.read(size)
                found |= {name for name, needle in needles.items() if needle in content}
    return found
