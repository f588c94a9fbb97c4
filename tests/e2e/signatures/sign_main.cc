// Signs made-up deliveries, and judges received ones, for tests in other languages.
//
//   sign_deliveries sign COUNT UNIX_SECONDS SEED          deliveries with 1 to 3 secrets each
//   sign_deliveries rotate COUNT UNIX_SECONDS SEED A B    the life of an endpoint whose secret of
//                                                         scheme A (v1, v1a) gives way to one of B
//   sign_deliveries verify UNIX_SECONDS                   reads deliveries, prints a verdict for
//   each
//
// A delivery is written as one line of JSON: id, timestamp, signature, body (base64), the key that
// goes with each entry of the signature ("whsec_..." or "whpk_..."), and the phase of a rotation.
// One is read as five words of base64: key, id, timestamp, signature, body.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "delivery/signature.h"
#include "secrets/base64.h"

namespace {

using delivery::SignatureScheme;

std::string base64(std::string_view bytes) {
  std::string text;
  secrets::append_base64(text, {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  return text;
}

// A secret whose size is anything that the scheme allows.
std::string draw_secret(base::Prng& prng, SignatureScheme scheme) {
  const bool is_hmac = scheme == SignatureScheme::kHmac;
  std::string bytes(is_hmac ? 24 + prng.below(41) : 32, '\0');
  for (char& c : bytes) {
    c = static_cast<char>(prng.next());
  }
  return (is_hmac ? "whsec_" : "whsk_") + base64(bytes);
}

std::string known_to_receiver(const std::string& secret) {
  return secret.starts_with("whsk_") ? delivery::public_key_of(secret).value() : secret;
}

void append_utf8(std::string& text, uint32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const uint32_t tails = c < 0x800 ? 1 : c < 0x1'0000 ? 2 : 3;
  const uint32_t lead = tails == 1 ? 0xc0U : tails == 2 ? 0xe0U : 0xf0U;
  text += static_cast<char>(lead | c >> (6 * tails));
  for (uint32_t i = tails; i-- > 0;) {
    text += static_cast<char>(0x80U | (c >> (6 * i) & 0x3fU));
  }
}

// Any character but those that JSON would have to escape, surrogates, and the one that decoders put
// in place of damage.
uint32_t draw_character(base::Prng& prng) {
  constexpr uint32_t kCeilings[] = {0x7f, 0x7ff, 0xffff, 0x10'ffff};
  while (true) {
    const auto c = static_cast<uint32_t>(prng.below(kCeilings[prng.below(4)]));
    const bool is_surrogate = c >= 0xd800 && c < 0xe000;
    if (c >= 0x20 && c != '"' && c != '\\' && !is_surrogate && c != 0xfffd) {
      return c;
    }
  }
}

std::string draw_body(base::Prng& prng) {
  const size_t length = prng.chance(3) ? prng.below(3000) : prng.below(120);
  std::string text;
  for (size_t i = 0; i < length; ++i) {
    append_utf8(text, draw_character(prng));
  }
  return fmt::format(R"({{"number": {}, "escaped": "\u00e4\n","text":"{}"}})",
                     prng.below(1'000'000), text);
}

std::string draw_id(base::Prng& prng) {
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  std::string id = "msg_";
  for (uint64_t left = 1 + prng.below(40); left > 0; --left) {
    id += kCharacters[prng.below(kCharacters.size())];
  }
  return id;
}

void print_delivery(base::Prng& prng, int64_t unix_seconds, const std::vector<std::string>& secrets,
                    std::string_view phase) {
  const std::vector<std::string_view> texts(secrets.begin(), secrets.end());
  const std::string id = draw_id(prng);
  const std::string body = draw_body(prng);
  const auto signature = delivery::Signer::make(texts).value().sign(
      {.id = id, .unix_seconds = unix_seconds, .body = body});
  std::string keys;
  for (const std::string& secret : secrets) {
    keys += fmt::format("{}\"{}\"", keys.empty() ? "" : ",", known_to_receiver(secret));
  }
  fmt::print(
      R"({{"id":"{}","timestamp":"{}","signature":"{}","body":"{}","keys":[{}],"phase":"{}"}})"
      "\n",
      id, unix_seconds, signature.value(), base64(body), keys, phase);
}

void sign(base::Prng prng, uint64_t count, int64_t unix_seconds) {
  for (uint64_t i = 0; i < count; ++i) {
    std::vector<std::string> secrets;
    for (uint64_t left = 1 + prng.below(3); left > 0; --left) {
      secrets.push_back(
          draw_secret(prng, prng.chance(80) ? SignatureScheme::kHmac : SignatureScheme::kEd25519));
    }
    print_delivery(prng, unix_seconds, secrets, "");
  }
}

SignatureScheme scheme_of(std::string_view version) {
  CHECK(version == "v1" || version == "v1a");
  return version == "v1" ? SignatureScheme::kHmac : SignatureScheme::kEd25519;
}

void rotate(base::Prng prng, uint64_t count, int64_t unix_seconds, SignatureScheme from,
            SignatureScheme to) {
  const std::string before = draw_secret(prng, from);
  const std::string after = draw_secret(prng, to);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t third = i * 3 / count;
    if (third == 0) {
      print_delivery(prng, unix_seconds, {before}, "before");
    } else if (third == 1) {
      print_delivery(prng, unix_seconds, {after, before}, "overlap");
    } else {
      print_delivery(prng, unix_seconds, {after}, "after");
    }
  }
}

// The next word of base64, decoded.
std::string take_field(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  const auto bytes = secrets::decode_base64_secret(word);
  CHECK(bytes.has_value());
  return std::string(bytes->text());
}

void verify(int64_t unix_seconds) {
  for (std::string line; std::getline(std::cin, line);) {
    std::string_view rest = line;
    const std::string key = take_field(rest);
    const std::string id = take_field(rest);
    const std::string timestamp = take_field(rest);
    const std::string signature = take_field(rest);
    const std::string body = take_field(rest);
    const std::string_view keys[] = {key};
    const auto refusal = delivery::Verifier::make(keys)->verify(
        {.id = id, .timestamp = timestamp, .signature = signature}, body, unix_seconds);
    fmt::print("{}\n", refusal ? delivery::to_words(*refusal) : "genuine");
  }
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  const char* begin = text.data();
  const auto parsed = std::from_chars(begin, begin + text.size(), value);
  CHECK(parsed.ec == std::errc() && parsed.ptr == begin + text.size());
  return value;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string_view> words(values + 1, values + count);
  const std::string_view mode = words.empty() ? "" : words[0];
  if (mode == "sign" && words.size() == 4) {
    sign(base::Prng(number<uint64_t>(words[3])), number<uint64_t>(words[1]),
         number<int64_t>(words[2]));
  } else if (mode == "rotate" && words.size() == 6) {
    rotate(base::Prng(number<uint64_t>(words[3])), number<uint64_t>(words[1]),
           number<int64_t>(words[2]), scheme_of(words[4]), scheme_of(words[5]));
  } else if (mode == "verify" && words.size() == 2) {
    verify(number<int64_t>(words[1]));
  } else {
    fmt::print(stderr, "usage: see the top of sign_main.cc\n");
    return 2;
  }
  return 0;
}
