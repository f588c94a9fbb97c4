#include "store/crc32c.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/prng.h"

#ifdef __x86_64__

namespace store {
namespace {

using Extend = uint32_t (*)(uint32_t, const char*, size_t);
constexpr const char* kExtendName = "_ZN7rocksdb6crc32c6ExtendEjPKcm";

std::string random_bytes(base::Prng& prng, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(prng.next());
  }
  return bytes;
}

TEST(Crc32cTest, GivesTheKnownAnswers) {
  EXPECT_TRUE(is_crc32c_sound());
  EXPECT_EQ(rocksdb::crc32c::Extend(0, "123456789", 9), 0xe306'9283U);
  EXPECT_EQ(rocksdb::crc32c::Extend(0, std::string(32, '\0').data(), 32), 0x8a91'36aaU);
  EXPECT_EQ(rocksdb::crc32c::Extend(7, "", 0), 7U);
}

TEST(Crc32cTest, AgreesWithTheLibrarysOwn) {
  void* const library = dlopen("librocksdb.so.7.8", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  auto* const theirs = reinterpret_cast<Extend>(dlsym(library, kExtendName));
  ASSERT_NE(theirs, nullptr);
  EXPECT_NE(theirs, &rocksdb::crc32c::Extend);
  base::Prng prng(1);
  for (size_t size = 0; size < 300; ++size) {
    const std::string bytes = random_bytes(prng, size);
    const auto before = static_cast<uint32_t>(prng.next());
    EXPECT_EQ(rocksdb::crc32c::Extend(before, bytes.data(), size),
              theirs(before, bytes.data(), size));
    EXPECT_EQ(extend_by_table(before, bytes.data(), size), theirs(before, bytes.data(), size));
  }
  dlclose(library);
}

TEST(Crc32cTest, IsWhatTheLibraryCalls) {
  void* const found = dlsym(RTLD_DEFAULT, kExtendName);
  // Nothing in a program that has the library inside it: two definitions would not have linked.
  EXPECT_TRUE(found == nullptr || found == reinterpret_cast<void*>(&rocksdb::crc32c::Extend));
}

}  // namespace
}  // namespace store

#endif
