// The index and the compiled filters against a matcher that tries every subscription from its JSON.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/prng.h"
#include "match/naive_matcher.h"
#include "match/random_json.h"
#include "match/subscription_index.h"

namespace match {
namespace {

struct Wish {
  std::string type_pattern;
  std::string object_code;
  std::string object_id;
  std::string filter;
};

std::string one_of(base::Prng& prng, std::vector<std::string> words) {
  return words[prng.below(words.size())];
}

class Differential {
 public:
  explicit Differential(uint64_t seed) : prng_(seed) {}

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      change();
      if (step % 4 == 0) {
        compare();
      }
    }
  }

 private:
  void change() {
    const uint64_t id = 1 + prng_.below(120);
    if (prng_.chance(20)) {
      EXPECT_EQ(index_.remove({1}, {id}), wishes_.erase(id) == 1);
      return;
    }
    const Wish wish{.type_pattern = random_type(prng_, true),
                    .object_code = one_of(prng_, {"", "", "P", "T"}),
                    .object_id = one_of(prng_, {"", "", "1", "2"}),
                    .filter = random_filter(prng_)};
    if (wishes_.contains(id)) {
      EXPECT_TRUE(index_.replace(made(id, wish)));
    } else {
      EXPECT_TRUE(index_.add(made(id, wish)));
    }
    wishes_[id] = wish;
  }

  Subscription made(uint64_t id, const Wish& wish) {
    base::Result<Filter> filter = parse_filter(filter_parser_, wish.filter);
    EXPECT_TRUE(filter.has_value()) << wish.filter;
    return {.tenant = {1},
            .id = {id},
            .endpoint = {id},
            .type_pattern = wish.type_pattern,
            .object_code = wish.object_code,
            .object_id = wish.object_id,
            .filter = std::move(*filter)};
  }

  void compare() {
    const std::string type = random_type(prng_, false);
    const std::string code = one_of(prng_, {"P", "T", ""});
    const std::string object = one_of(prng_, {"1", "2", ""});
    const std::string payload = random_payload(prng_);
    const auto root = payload_parser_.parse(payload);
    ASSERT_TRUE(root.has_value()) << payload;
    const EventFacts event{.tenant = {1},
                           .type = type,
                           .object_code = code,
                           .object_id = object,
                           .states = States::of(*root)};
    std::vector<Match> matches;
    ASSERT_TRUE(index_.match(event, matches).has_value());
    std::vector<uint64_t> found;
    found.reserve(matches.size());
    for (const Match& match : matches) {
      found.push_back(match.id.value);
    }
    ASSERT_EQ(found, expected(event)) << type << ' ' << code << ' ' << object << ' ' << payload;
    matched_ += found.size();
  }

  std::vector<uint64_t> expected(const EventFacts& event) {
    std::vector<uint64_t> ids;
    for (const auto& [id, wish] : wishes_) {
      const bool fits = naive::type_matches(wish.type_pattern, event.type) &&
                        (wish.object_code.empty() || wish.object_code == event.object_code) &&
                        (wish.object_id.empty() || wish.object_id == event.object_id);
      const auto filter = filter_parser_.parse(wish.filter);
      if (fits && naive::passes(*filter, event.states.new_state, event.states.old_state)) {
        ids.push_back(id);
      }
    }
    return ids;
  }

 public:
  size_t matched() const { return matched_; }

 private:
  base::Prng prng_;
  SubscriptionIndex index_;
  std::map<uint64_t, Wish> wishes_;
  JsonParser filter_parser_;
  JsonParser payload_parser_;
  size_t matched_ = 0;
};

TEST(Differential, TheIndexFindsWhatTryingEverySubscriptionFinds) {
  size_t matched = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Differential differential(seed);
    differential.run(2000);
    ASSERT_FALSE(HasFailure());
    matched += differential.matched();
  }
  EXPECT_GT(matched, 2500U);  // or the pools no longer meet
}

TEST(Differential, FiltersPassWhatTheirWordsSay) {
  base::Prng prng(99);
  JsonParser filter_parser;
  JsonParser payload_parser;
  int passed = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_filter(prng);
    const std::string payload = random_payload(prng);
    const base::Result<Filter> filter = parse_filter(filter_parser, text);
    const auto root = payload_parser.parse(payload);
    ASSERT_TRUE(filter.has_value() && root.has_value()) << text;
    const States states = States::of(*root);
    Effort effort;
    const bool passes = filter->passes(states, effort);
    const auto source = filter_parser.parse(text);
    ASSERT_EQ(passes, naive::passes(*source, states.new_state, states.old_state))
        << text << ' ' << payload;
    passed += passes ? 1 : 0;
  }
  EXPECT_GT(passed, 5000);
  EXPECT_LT(passed, 15'000);
}

// What is warned of as impossible must be so.
TEST(Differential, AFilterThatIsSaidNeverToPassNeverDoes) {
  base::Prng prng(7);
  JsonParser filter_parser;
  JsonParser payload_parser;
  int hopeless = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string text = random_filter(prng);
    const base::Result<Filter> filter = parse_filter(filter_parser, text);
    ASSERT_TRUE(filter.has_value());
    const std::vector<std::string> warnings = warnings_of(*filter, "UPDATE");
    if (warnings.empty() || !warnings.back().starts_with("no event can ever pass")) {
      continue;
    }
    ++hopeless;
    for (int event = 0; event < 200; ++event) {
      const std::string payload = random_payload(prng);
      Effort effort;
      ASSERT_FALSE(filter->passes(States::of(*payload_parser.parse(payload)), effort))
          << text << ' ' << payload;
    }
  }
  EXPECT_GT(hopeless, 50);
}

}  // namespace
}  // namespace match
