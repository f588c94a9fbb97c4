#include "registry/caller.h"

#include <fmt/format.h>

#include <array>

#include "base/nearest_name.h"

namespace registry {
namespace {

struct Word {
  Scope scope;
  std::string_view word;
};

constexpr std::array<Word, 4> kWords = {
    Word{.scope = Scope::kPublish, .word = "publish"}, Word{.scope = Scope::kRead, .word = "read"},
    Word{.scope = Scope::kManage, .word = "manage"}, Word{.scope = Scope::kAdmin, .word = "admin"}};

}  // namespace

std::vector<std::string_view> Scopes::words() const {
  std::vector<std::string_view> words;
  for (const Word& row : kWords) {
    if ((bits_ & static_cast<uint8_t>(row.scope)) != 0) {
      words.push_back(row.word);
    }
  }
  return words;
}

std::string_view word_of(Scope scope) {
  for (const Word& row : kWords) {
    if (row.scope == scope) {
      return row.word;
    }
  }
  return {};
}

base::Result<Scope> parse_scope(std::string_view word) {
  std::array<std::string_view, kWords.size()> known;
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i].word == word) {
      return kWords[i].scope;
    }
    known[i] = kWords[i].word;
  }
  const std::string_view nearest = base::nearest_name(word, known);
  return base::fail(base::ErrorCode::kInvalid,
                    fmt::format("there is no such scope; {}",
                                nearest.empty() ? std::string("use publish, read, manage or admin")
                                                : fmt::format("did you mean \"{}\"?", nearest)));
}

}  // namespace registry
