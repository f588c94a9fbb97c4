#include "delivery/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/prng.h"
#include "secrets/base64.h"

namespace delivery {
namespace {

using secrets::SecretBytes;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using Texts = std::vector<std::string_view>;

constexpr int64_t kNow = 1'800'000'000;
constexpr std::string_view kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view kOtherSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
constexpr std::string_view kPrivate = "whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=";

std::string sign(const Texts& secrets, const WebhookMessage& message) {
  return Signer::make(secrets)->sign(message).value();
}

WebhookMessage message(std::string_view body = R"({"test": 2432232314})") {
  return {.id = "msg_p5jXN8AQM9LWM0D4loKWxJek", .unix_seconds = kNow, .body = body};
}

std::optional<SignatureRefusal> verify(const Texts& keys, const std::string& signature,
                                       const WebhookMessage& received = message()) {
  const std::string timestamp = std::to_string(received.unix_seconds);
  return Verifier::make(keys)->verify(
      {.id = received.id, .timestamp = timestamp, .signature = signature}, received.body, kNow);
}

std::string problem_of(std::string_view secret) {
  const auto signer = Signer::make(Texts{secret});
  return signer.has_value() ? "" : signer.error().detail;
}

std::string secret_of(std::string_view prefix, size_t size) {
  std::string text(prefix);
  secrets::append_base64(text, std::vector<uint8_t>(size, 0x42));
  return text;
}

// The examples that the libraries of Standard Webhooks are tested with.
TEST(Signature, AgreesWithThePublishedExamples) {
  WebhookMessage example = message();
  example.unix_seconds = 1'614'265'330;
  EXPECT_EQ(sign({kSecret}, example), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  EXPECT_EQ(sign({kPrivate}, example),
            "v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFi"
            "L8Ag==");
}

TEST(Signature, ListsTheCurrentSecretFirstWithOneSpaceAndOneComma) {
  const std::string header = sign({kSecret, kPrivate, kOtherSecret}, message());
  EXPECT_THAT(header, MatchesRegex("v1,[A-Za-z0-9+/]+=* v1a,[A-Za-z0-9+/]+=* v1,[A-Za-z0-9+/]+=*"));
  EXPECT_THAT(header, StartsWith(sign({kSecret}, message()) + " "));
}

TEST(Signature, SignsIdTimestampAndBody) {
  std::set<std::string> signatures;
  WebhookMessage changed = message();
  signatures.insert(sign({kSecret}, changed));
  changed.unix_seconds += 1;
  signatures.insert(sign({kSecret}, changed));
  changed.id = "msg_other";
  signatures.insert(sign({kSecret}, changed));
  changed.body = "";
  signatures.insert(sign({kSecret}, changed));
  signatures.insert(sign({kOtherSecret}, changed));
  EXPECT_EQ(signatures.size(), 5U);
}

TEST(Signature, RefusesAnIdThatCouldRunIntoTheTimestamp) {
  const Signer signer = Signer::make(Texts{kSecret}).value();
  for (const std::string id : {"", "a.b", ".", "a b", "a\nb", "a\r", "\x7f", "\xc3\xa4"}) {
    EXPECT_FALSE(signer.sign({.id = id, .unix_seconds = kNow, .body = ""}).has_value()) << id;
    EXPECT_FALSE(is_webhook_id(id)) << id;
  }
  EXPECT_TRUE(is_webhook_id(std::string(256, 'a')));
  EXPECT_FALSE(is_webhook_id(std::string(257, 'a')));
}

TEST(Signature, BodiesAreBytes) {
  base::Prng prng(6);
  for (int i = 0; i < 200; ++i) {
    std::string body(prng.below(5000), '\0');
    for (char& c : body) {
      c = static_cast<char>(prng.next());
    }
    ASSERT_EQ(verify({kSecret}, sign({kSecret}, message(body)), message(body)), std::nullopt);
  }
}

TEST(SigningSecret, GeneratedOnesDifferAndWork) {
  for (const auto scheme : {SignatureScheme::kHmac, SignatureScheme::kEd25519}) {
    const SecretBytes first = generate_signing_secret(scheme);
    const SecretBytes second = generate_signing_secret(scheme);
    EXPECT_EQ(problem_of(first.text()), "");
    EXPECT_FALSE(first.has_same_bytes(second));
    const std::string header = sign({first.text()}, message());
    EXPECT_EQ(verify({first.text()}, header), std::nullopt);
    EXPECT_EQ(verify({second.text()}, header), SignatureRefusal::kNoMatch);
  }
  EXPECT_THAT(std::string(generate_signing_secret(SignatureScheme::kHmac).text()),
              MatchesRegex("whsec_[A-Za-z0-9+/]{43}="));
  EXPECT_THAT(std::string(generate_signing_secret(SignatureScheme::kEd25519).text()),
              MatchesRegex("whsk_[A-Za-z0-9+/]{43}="));
}

TEST(SigningSecret, HasTheSizeThatTheStandardAllows) {
  for (size_t size = 0; size <= 80; ++size) {
    const bool is_allowed = size >= 24 && size <= 64;
    EXPECT_EQ(problem_of(secret_of("whsec_", size)).empty(), is_allowed) << size;
  }
  EXPECT_THAT(problem_of(secret_of("whsec_", 23)),
              HasSubstr("24 to 64 bytes, but this one has 23"));
  for (const size_t size : {0U, 31U, 33U, 63U, 65U}) {
    EXPECT_THAT(problem_of(secret_of("whsk_", size)), HasSubstr("must have 32 bytes")) << size;
  }
}

TEST(SigningSecret, ErrorsSayWhatIsWrongAndNeverRepeatTheSecret) {
  EXPECT_THAT(problem_of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
              HasSubstr("must begin with whsec_ or whsk_"));
  EXPECT_THAT(problem_of("whpk_" + std::string(44, 'A')), HasSubstr("must begin with"));
  for (const std::string text :
       {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
        "whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1J"}) {
    EXPECT_THAT(problem_of(text), HasSubstr("standard base64 with its padding")) << text;
    EXPECT_THAT(problem_of(text), Not(HasSubstr("SVNGT1J")));
    EXPECT_THAT(problem_of(text), Not(HasSubstr("MfKQ9r8GKY")));
  }
  EXPECT_THAT(Signer::make({}).error().detail, HasSubstr("1 to 8"));
  EXPECT_FALSE(Signer::make(Texts(9, kSecret)).has_value());
  EXPECT_TRUE(Signer::make(Texts(8, kSecret)).has_value());
}

// Some tools write the seed and the public key as one.
TEST(SigningSecret, OfSixtyFourBytesMustHoldItsOwnPublicKey) {
  const std::string public_text = public_key_of(kPrivate).value();
  auto seed = secrets::decode_base64_secret(kPrivate.substr(5)).value();
  auto half = secrets::decode_base64_secret(public_text.substr(5)).value();
  std::string both(seed.text());
  both += half.text();
  std::string text = "whsk_";
  secrets::append_base64(text, {reinterpret_cast<const uint8_t*>(both.data()), both.size()});
  EXPECT_EQ(sign({text}, message()), sign({kPrivate}, message()));

  both[40] = static_cast<char>(both[40] ^ 1);
  text = "whsk_";
  secrets::append_base64(text, {reinterpret_cast<const uint8_t*>(both.data()), both.size()});
  EXPECT_THAT(problem_of(text), HasSubstr("do not belong together"));
}

TEST(SigningSecret, OnlyAnAsymmetricOneHasAPublicKey) {
  EXPECT_THAT(public_key_of(kPrivate).value(), MatchesRegex("whpk_[A-Za-z0-9+/]{43}="));
  EXPECT_THAT(public_key_of(kSecret).error().detail, HasSubstr("only a whsk_ secret"));
}

TEST(Verifier, AcceptsBothSchemesByEitherHalf) {
  const std::string public_key = public_key_of(kPrivate).value();
  const std::string header = sign({kPrivate}, message());
  EXPECT_EQ(verify({public_key}, header), std::nullopt);
  EXPECT_EQ(verify({kPrivate}, header), std::nullopt);
  EXPECT_EQ(verify({kSecret, public_key}, header), std::nullopt);
  EXPECT_EQ(verify({kSecret}, header), SignatureRefusal::kNoMatch);
  const auto unknown = Verifier::make(Texts{"secret"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().detail, HasSubstr("must begin with whsec_, whpk_ or whsk_"));
}

// Old and new overlap on our side; receivers change over one by one.
TEST(Verifier, NoReceiverRefusesADeliveryDuringTheOverlap) {
  for (const std::string_view next : {kOtherSecret, kPrivate}) {
    const std::string before = sign({kSecret}, message());
    const std::string during = sign({next, kSecret}, message());
    const std::string after = sign({next}, message());
    EXPECT_EQ(verify({kSecret}, during), std::nullopt);
    EXPECT_EQ(verify({next}, during), std::nullopt);
    EXPECT_EQ(verify({kSecret, next}, before), std::nullopt);
    EXPECT_EQ(verify({next, kSecret}, during), std::nullopt);
    EXPECT_EQ(verify({kSecret, next}, after), std::nullopt);
    EXPECT_EQ(verify({kSecret}, after), SignatureRefusal::kNoMatch);
    EXPECT_EQ(verify({next}, before), SignatureRefusal::kNoMatch);
  }
}

TEST(Verifier, ToleratesFiveMinutesEitherWay) {
  const auto refusal_at = [](int64_t unix_seconds) {
    WebhookMessage aged = message();
    aged.unix_seconds = unix_seconds;
    return verify({kSecret}, sign({kSecret}, aged), aged);
  };
  EXPECT_EQ(refusal_at(kNow - 300), std::nullopt);
  EXPECT_EQ(refusal_at(kNow - 301), SignatureRefusal::kTooOld);
  EXPECT_EQ(refusal_at(kNow + 300), std::nullopt);
  EXPECT_EQ(refusal_at(kNow + 301), SignatureRefusal::kTooNew);
}

TEST(Verifier, RefusesMissingAndMalformedHeaders) {
  const Verifier verifier = Verifier::make(Texts{kSecret}).value();
  const std::string signature = sign({kSecret}, message());
  const std::string timestamp = std::to_string(kNow);
  const WebhookHeaders good{.id = message().id, .timestamp = timestamp, .signature = signature};
  const auto refusal = [&](auto change) {
    WebhookHeaders headers = good;
    change(headers);
    return verifier.verify(headers, message().body, kNow);
  };
  ASSERT_EQ(refusal([](WebhookHeaders&) {}), std::nullopt);
  EXPECT_EQ(refusal([](auto& h) { h.id = {}; }), SignatureRefusal::kHeaderMissing);
  EXPECT_EQ(refusal([](auto& h) { h.timestamp = {}; }), SignatureRefusal::kHeaderMissing);
  EXPECT_EQ(refusal([](auto& h) { h.signature = {}; }), SignatureRefusal::kHeaderMissing);
  EXPECT_EQ(refusal([](auto& h) { h.id = "a.b"; }), SignatureRefusal::kHeaderMalformed);
  for (const std::string text : {"hello", "1.8e9", "-1", "+1800000000", " 1800000000",
                                 "1800000000 ", "1800000000.0", "9999999999999"}) {
    EXPECT_EQ(refusal([&](auto& h) { h.timestamp = text; }), SignatureRefusal::kHeaderMalformed)
        << text;
  }
  // A second spelling of the time is no longer what was signed.
  EXPECT_EQ(refusal([](auto& h) { h.timestamp = "01800000000"; }), SignatureRefusal::kNoMatch);
  const std::string endless(10'000, 'v');
  EXPECT_EQ(refusal([&](auto& h) { h.signature = endless; }), SignatureRefusal::kHeaderMalformed);
}

// CVE-2024-21491: a library compared only as far as the shorter of the two, so "v1," passed.
TEST(Verifier, RefusesEveryTruncatedSignature) {
  const std::string public_key = public_key_of(kPrivate).value();
  for (const std::string_view secret : {kSecret, kPrivate}) {
    const std::string header = sign({secret}, message());
    for (size_t size = 0; size < header.size(); ++size) {
      ASSERT_NE(verify({kSecret, public_key}, header.substr(0, size)), std::nullopt) << size;
    }
    ASSERT_EQ(verify({kSecret, public_key}, header), std::nullopt);
  }
}

TEST(Verifier, SkipsUnknownVersionsAndBrokenEntries) {
  const std::string genuine = sign({kSecret}, message());
  const std::string digest = genuine.substr(3);
  EXPECT_EQ(verify({kSecret}, "v2," + digest + " nonsense v1, , " + genuine), std::nullopt);
  EXPECT_EQ(verify({kSecret}, genuine + "  v9,x"), std::nullopt);
  for (const std::string& header :
       {"v2," + digest, "v1a," + digest, "V1," + digest, "," + digest, digest, "v1" + digest,
        "v1," + digest + ",x", "v1,v1," + digest, "v1=" + digest, std::string(" "),
        std::string(","), "v1,\t" + digest}) {
    EXPECT_EQ(verify({kSecret}, header), SignatureRefusal::kNoMatch) << header;
  }
}

TEST(Verifier, RefusesEveryOtherCharacterOfASignature) {
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  const std::string public_key = public_key_of(kPrivate).value();
  const Verifier verifier = Verifier::make(Texts{kSecret, public_key}).value();
  const std::string timestamp = std::to_string(kNow);
  for (const std::string_view secret : {kSecret, kPrivate}) {
    const std::string genuine = sign({secret}, message());
    for (size_t at = genuine.find(',') + 1; at < genuine.size(); ++at) {
      for (const char c : kCharacters) {
        std::string changed = genuine;
        changed[at] = c;
        const auto refusal =
            verifier.verify({.id = message().id, .timestamp = timestamp, .signature = changed},
                            message().body, kNow);
        ASSERT_EQ(!refusal.has_value(), changed == genuine) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace delivery
