#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace base {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"fieldName", "fieldValue", "state"};

TEST(NearestName, FindsWhatWasMeant) {
  EXPECT_EQ(nearest_name("feildName", kNames), "fieldName");
  EXPECT_EQ(nearest_name("FIELDVALUE", kNames), "fieldValue");
  EXPECT_EQ(nearest_name("sate", kNames), "state");
}

TEST(NearestName, OffersNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("colour", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), kNames), "");
}

}  // namespace
}  // namespace base
