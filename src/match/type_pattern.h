// Which event types a subscription wants. A type is a word or several, joined by dots: CREATE,
// order.created, com.example.order.item-added. Upper and lower case differ.
//
//   order.created   that type and no other
//   order.*         one more word: order.created, not order, not order.item.added
//   *.created       a * stands for one whole word, anywhere, any number of times
//   order.**        one word or more, at the end only: order.created, order.item.added, not order
//   *, **, or none  every type; a lone * is what people write for that
//   postrider.**    what Postrider tells of its own work. Only patterns that begin with the word
//                   postrider get that: who asks for everything means his own events.
//
// A * within a word (order.cre*) is refused instead of being taken for a letter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace match {

inline constexpr size_t kTypeBytesMax = 256;
inline constexpr size_t kTypeWordsMax = 16;
inline constexpr std::string_view kEveryType = "**";
inline constexpr std::string_view kOperationalPrefix = "postrider.";

// Checks a subscriber's pattern; "*" and "" become kEveryType.
base::Result<std::string> parse_type_pattern(std::string_view text);

// Checks the type of an event: as above, without wildcards.
base::Result<std::string> parse_event_type(std::string_view text);

// Of an event about our own work, or a pattern that asks for such. Producers may not publish them.
bool is_operational_type(std::string_view type);

// `pattern` comes from parse_type_pattern().
bool type_matches(std::string_view pattern, std::string_view type);

// Cuts the first word and its dot off the front of `rest`.
std::string_view take_word(std::string_view& rest);

}  // namespace match
