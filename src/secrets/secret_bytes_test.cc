#include "secrets/secret_bytes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "secrets/core_dumps.h"

namespace secrets {
namespace {

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(!Streamable<SecretBytes>);
static_assert(Streamable<std::string>);
static_assert(!fmt::is_formattable<SecretBytes>::value);
static_assert(fmt::is_formattable<std::string>::value);
static_assert(!std::is_copy_constructible_v<SecretBytes>);
static_assert(!std::is_copy_assignable_v<SecretBytes>);
static_assert(!std::is_convertible_v<SecretBytes, std::string_view>);
static_assert(std::is_nothrow_move_constructible_v<SecretBytes>);

// The flags that the kernel keeps for the pages around an address, as in "rd wr mr mw me dd ac".
std::string page_flags_of(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    if (fields >> std::hex >> begin >> dash >> end && dash == '-') {
      is_here = begin <= wanted && wanted < end;
    }
    if (is_here && line.starts_with("VmFlags:")) {
      return line + " ";
    }
  }
  return "not mapped";
}

TEST(SecretBytes, StartAsZeroesEvenInABlockThatWasUsedBefore) {
  for (int round = 0; round < 3; ++round) {
    SecretBytes secret(48);
    for (const uint8_t byte : secret.bytes()) {
      ASSERT_EQ(byte, 0);
    }
    std::ranges::fill(secret.writable(), uint8_t{0xa5});
  }
}

TEST(SecretBytes, MovingEmptiesTheSource) {
  std::vector<SecretBytes> from;
  from.push_back(SecretBytes::copy_of("hunter2"));
  SecretBytes second = std::move(from[0]);
  EXPECT_TRUE(from[0].empty());
  EXPECT_EQ(second.text(), "hunter2");
  SecretBytes third = SecretBytes::copy_of("other");
  third = std::move(second);
  EXPECT_EQ(third.text(), "hunter2");
}

TEST(SecretBytes, NoTwoLiveSecretsOverlap) {
  base::Prng prng(11);
  std::vector<std::pair<SecretBytes, uint8_t>> live;
  for (int i = 0; i < 20'000; ++i) {
    if (live.size() > 200 || (!live.empty() && prng.chance(40))) {
      const size_t victim = prng.below(live.size());
      const auto& [secret, fill] = live[victim];
      for (const uint8_t byte : secret.bytes()) {
        ASSERT_EQ(byte, fill);
      }
      std::swap(live[victim], live.back());
      live.pop_back();
      continue;
    }
    const auto fill = static_cast<uint8_t>(prng.next());
    SecretBytes secret(prng.chance(5) ? 4000 + prng.below(9000) : 1 + prng.below(600));
    std::ranges::fill(secret.writable(), fill);
    live.emplace_back(std::move(secret), fill);
  }
}

TEST(SecretBytes, LiveInPagesThatNoCoreDumpContains) {
  const SecretBytes small(32);
  const SecretBytes large(100'000);
  const auto on_the_heap = std::make_unique<int>(1);
  EXPECT_NE(page_flags_of(small.bytes().data()).find(" dd "), std::string::npos);
  EXPECT_NE(page_flags_of(large.bytes().data()).find(" dd "), std::string::npos);
  const std::string heap_flags = page_flags_of(on_the_heap.get());
  EXPECT_NE(heap_flags.find(" rd "), std::string::npos);
  EXPECT_EQ(heap_flags.find(" dd "), std::string::npos);
}

TEST(SecretBytes, CompareByContent) {
  const SecretBytes secret = SecretBytes::copy_of("abc");
  EXPECT_TRUE(secret.has_same_bytes(SecretBytes::copy_of("abc")));
  EXPECT_FALSE(secret.has_same_bytes(SecretBytes::copy_of("abd")));
  EXPECT_FALSE(secret.has_same_bytes(SecretBytes::copy_of("ab")));
  EXPECT_FALSE(secret.has_same_bytes(SecretBytes()));
  EXPECT_TRUE(SecretBytes().has_same_bytes(SecretBytes(0)));
}

TEST(SecretBytes, RandomOnesDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.emplace(SecretBytes::random(16).text());
  }
  EXPECT_EQ(seen.size(), 1000U);
}

bool child_is_undumpable() {
  if (!disable_core_dumps().has_value()) {
    return false;
  }
  rlimit limit{1, 1};
  return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0 &&
         prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
}

// In a child: it cannot be undone, and the other tests read their own memory.
TEST(CoreDumps, AreDisabledForTheProcess) {
  ASSERT_EQ(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(child_is_undumpable() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace secrets
