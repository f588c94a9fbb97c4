// The function that libFuzzer looks for; the replay calls it as well.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  fuzz::check({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
