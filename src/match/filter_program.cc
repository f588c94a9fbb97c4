#include "match/filter_program.h"

#include <cstring>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace match {

namespace {

template <class T>
void put(std::byte* block, size_t at, const T* items, size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  CHECK_EQ(at % alignof(T), 0U);
  if (count > 0) {
    std::memcpy(block + at, items, count * sizeof(T));
  }
}

template <class T>
std::span<const T> view(const std::byte* block, size_t at, size_t count) {
  return {reinterpret_cast<const T*>(block + at), count};
}

}  // namespace

TextSlice ProgramParts::add_text(std::string_view addition) {
  const TextSlice slice{.offset = static_cast<uint32_t>(text.size()),
                        .length = static_cast<uint32_t>(addition.size())};
  text += addition;
  return slice;
}

FilterProgram::FilterProgram(const ProgramParts& parts) {
  CHECK(std::in_range<uint16_t>(parts.conditions.size()));
  CHECK(std::in_range<uint16_t>(parts.literals.size()));
  Header header{.clauses = static_cast<uint16_t>(parts.clauses.size()),
                .conditions = static_cast<uint16_t>(parts.conditions.size()),
                .literals = static_cast<uint16_t>(parts.literals.size()),
                .connector = parts.connector};
  header.text_at = static_cast<uint32_t>(sizeof(Header) + parts.literals.size() * sizeof(Literal) +
                                         parts.conditions.size() * sizeof(Condition) +
                                         parts.clauses.size() * sizeof(Clause));
  block_ = std::make_unique_for_overwrite<std::byte[]>(header.text_at + parts.text.size());
  put(block_.get(), 0, &header, 1);
  put(block_.get(), sizeof(Header), parts.literals.data(), parts.literals.size());
  put(block_.get(), conditions_at(), parts.conditions.data(), parts.conditions.size());
  put(block_.get(), clauses_at(), parts.clauses.data(), parts.clauses.size());
  put(block_.get(), header.text_at, parts.text.data(), parts.text.size());
}

size_t FilterProgram::conditions_at() const {
  return sizeof(Header) + header().literals * sizeof(Literal);
}

size_t FilterProgram::clauses_at() const {
  return conditions_at() + header().conditions * sizeof(Condition);
}

std::span<const Literal> FilterProgram::literals() const {
  static_assert(sizeof(Header) % alignof(Literal) == 0);
  return view<Literal>(block_.get(), sizeof(Header), header().literals);
}

std::span<const Condition> FilterProgram::conditions() const {
  return view<Condition>(block_.get(), conditions_at(), header().conditions);
}

std::span<const Clause> FilterProgram::clauses() const {
  return view<Clause>(block_.get(), clauses_at(), header().clauses);
}

std::span<const Condition> FilterProgram::conditions_of(const Clause& clause) const {
  return conditions().subspan(clause.first, clause.count);
}

std::string_view FilterProgram::text(TextSlice slice) const {
  return {reinterpret_cast<const char*>(block_.get()) + header().text_at + slice.offset,
          slice.length};
}

}  // namespace match
