#include "text/time_text.h"

#include <gtest/gtest.h>

namespace text {
namespace {

TEST(TimeTextTest, IsRfc3339WithMilliseconds) {
  EXPECT_EQ(time_text(base::Instant::from_ms(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(time_text(base::Instant::from_ms(1'709'210'096'007)), "2024-02-29T12:34:56.007Z");
}

}  // namespace
}  // namespace text
