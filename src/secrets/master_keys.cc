#include "secrets/master_keys.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "secrets/aead.h"
#include "secrets/base64.h"
#include "secrets/key_file.h"

namespace secrets {

namespace {

constexpr size_t kIdMax = 32;
constexpr std::string_view kGenerate = "; to make one: echo \"k1:$(openssl rand -base64 32)\"";
constexpr std::string_view kFileHead =
    "# Master keys of Postrider. The last one encrypts, all of them decrypt.\n"
    "# Without this file no stored secret can be read again: keep a copy in a safe place, apart\n"
    "# from the backups of the store.\n";

bool is_id(std::string_view id) {
  const bool is_plain = std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  return is_plain && !id.empty() && id.size() <= kIdMax;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes the next piece up to `separator` off the front of `text`.
std::string_view next_piece(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view piece = trimmed(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

// The messages name the place and never the text: it may hold a key.
base::Result<MasterKey> parse_key(std::string_view text, size_t number) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_id(text.substr(0, colon))) {
    return base::fail(
        base::ErrorCode::kInvalid,
        fmt::format("master key {} must read <id>:<base64>, where the id has 1 to {} of a-z, 0-9, "
                    "'-' and '_'{}",
                    number, kIdMax, kGenerate));
  }
  std::string id(text.substr(0, colon));
  auto bytes = decode_base64_secret(text.substr(colon + 1));
  if (!bytes || bytes->size() != kAeadKeyBytes) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("master key '{}' must be padded standard base64 of {} bytes{}",
                                  id, kAeadKeyBytes, kGenerate));
  }
  return MasterKey{std::move(id), std::move(*bytes)};
}

bool has_id(const std::vector<MasterKey>& keys, std::string_view id) {
  return std::ranges::find(keys, id, &MasterKey::id) != keys.end();
}

base::Result<void> parse_line(std::string_view line, std::vector<MasterKey>& keys) {
  while (!line.empty()) {
    const std::string_view piece = next_piece(line, ',');
    if (piece.empty()) {
      continue;
    }
    TRY(MasterKey key, parse_key(piece, keys.size() + 1));
    if (has_id(keys, key.id)) {
      return base::fail(base::ErrorCode::kInvalid,
                        fmt::format("two master keys are called '{}'; rename one that has "
                                    "encrypted nothing yet",
                                    key.id));
    }
    keys.push_back(std::move(key));
  }
  return {};
}

// The value in the environment block itself, so that it can be wiped there.
std::optional<std::span<char>> environment_value(std::string_view name) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with(name) && text.substr(name.size()).starts_with('=')) {
      return std::span(*entry + name.size() + 1, text.size() - name.size() - 1);
    }
  }
  return std::nullopt;
}

SecretBytes joined(std::initializer_list<std::string_view> parts) {
  size_t size = 0;
  for (const std::string_view part : parts) {
    size += part.size();
  }
  SecretBytes text(size);
  auto out = text.writable().begin();
  for (const std::string_view part : parts) {
    out = std::ranges::copy(part, out).out;
  }
  return text;
}

}  // namespace

base::Result<MasterKeys> MasterKeys::parse(std::string_view text) {
  std::vector<MasterKey> keys;
  while (!text.empty()) {
    const std::string_view line = next_piece(text, '\n');
    if (line.starts_with('#')) {
      continue;
    }
    if (auto parsed = parse_line(line, keys); !parsed.has_value()) {
      return std::unexpected(std::move(parsed.error()));
    }
  }
  if (keys.empty()) {
    return base::fail(base::ErrorCode::kInvalid, fmt::format("no master key found{}", kGenerate));
  }
  return MasterKeys(std::move(keys));
}

base::Result<MasterKeys> MasterKeys::load_file(const std::string& path) {
  TRY(const SecretBytes content, read_private_file(path));
  auto keys = parse(content.text());
  if (!keys.has_value()) {
    return base::fail(keys.error().code, path + ": " + keys.error().detail);
  }
  return keys;
}

base::Result<MasterKeys> MasterKeys::take_environment(std::string_view name) {
  const auto value = environment_value(name);
  if (!value) {
    return base::fail(base::ErrorCode::kNotFound,
                      fmt::format("the environment has no variable {}", name));
  }
  auto keys = parse({value->data(), value->size()});
  OPENSSL_cleanse(value->data(), value->size());
  if (!keys.has_value()) {
    return base::fail(keys.error().code, fmt::format("{}: {}", name, keys.error().detail));
  }
  return keys;
}

const MasterKey* MasterKeys::find(std::string_view id) const {
  const auto found = std::ranges::find(keys_, id, &MasterKey::id);
  return found == keys_.end() ? nullptr : &*found;
}

SecretBytes generate_master_key() {
  // The id is public and only has to differ from the others.
  const SecretBytes chance = SecretBytes::random(4);
  std::string id = "k";
  for (const uint8_t byte : chance.bytes()) {
    id += fmt::format("{:02x}", byte);
  }
  const SecretBytes key = SecretBytes::random(kAeadKeyBytes);
  SecretBytes base64(base64_size(kAeadKeyBytes));
  encode_base64(key.bytes(), reinterpret_cast<char*>(base64.writable().data()));
  return joined({id, ":", base64.text()});
}

base::Result<void> create_key_file(const std::string& path) {
  const SecretBytes key = generate_master_key();
  return write_private_file(path, FileMode::kCreate, joined({kFileHead, key.text(), "\n"}).text());
}

base::Result<void> append_key(const std::string& path) {
  TRY(const SecretBytes content, read_private_file(path));
  if (auto keys = MasterKeys::parse(content.text()); !keys.has_value()) {
    return std::unexpected(std::move(keys.error()));
  }
  const std::string_view separator = content.text().ends_with('\n') ? "" : "\n";
  const SecretBytes key = generate_master_key();
  return write_private_file(path, FileMode::kAppend, joined({separator, key.text(), "\n"}).text());
}

}  // namespace secrets
