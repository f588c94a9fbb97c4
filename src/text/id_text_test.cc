#include "text/id_text.h"

#include <gtest/gtest.h>

namespace text {
namespace {

TEST(IdTextTest, IsReadBackAsWhatItWas) {
  EXPECT_EQ(id_text(base::SubscriptionId{0xc3a1}), "sub_000000000000c3a1");
  EXPECT_EQ(parse_subscription_id("sub_000000000000c3a1"), base::SubscriptionId{0xc3a1});
  EXPECT_EQ(parse_endpoint_id(id_text(base::EndpointId{~uint64_t{0}})),
            base::EndpointId{~uint64_t{0}});
  EXPECT_EQ(parse_event_id(event_id_text(7)), base::Sequence{7});
}

TEST(IdTextTest, TheIdOfAnotherKindOfThingIsNone) {
  EXPECT_EQ(parse_endpoint_id(id_text(base::SubscriptionId{1})), std::nullopt);
  EXPECT_EQ(parse_delivery_id(id_text(base::TenantId{1})), std::nullopt);
}

TEST(IdTextTest, OnlyOneSpellingIsTaken) {
  for (const char* text : {"", "sub", "sub_", "sub_1", "sub_000000000000C3A1",
                           "sub_000000000000c3a1 ", "sub_+00000000000c3a1", "sub_0000000000000000",
                           "SUB_000000000000c3a1", "sub-000000000000c3a1"}) {
    EXPECT_EQ(parse_subscription_id(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace text
