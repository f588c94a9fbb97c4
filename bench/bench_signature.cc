// What signing, verifying and unsealing cost per delivery. The key is prepared once, as it is in
// the server; the body has 1 KiB.

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "delivery/signature.h"
#include "secrets/envelope.h"

namespace {

using delivery::SignatureScheme;

const std::string& body() {
  static const std::string kBody(1024, 'x');
  return kBody;
}

delivery::WebhookMessage message() {
  return {.id = "msg_p5jXN8AQM9LWM0D4loKWxJek", .unix_seconds = 1'800'000'000, .body = body()};
}

std::string secret(SignatureScheme scheme) {
  return std::string(delivery::generate_signing_secret(scheme).text());
}

void sign(benchmark::State& state, const std::vector<SignatureScheme>& schemes) {
  std::vector<std::string> secrets;
  secrets.reserve(schemes.size());
  for (const SignatureScheme scheme : schemes) {
    secrets.push_back(secret(scheme));
  }
  const std::vector<std::string_view> texts(secrets.begin(), secrets.end());
  const auto signer = delivery::Signer::make(texts).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(signer.sign(message()));
  }
}

void verify(benchmark::State& state, SignatureScheme scheme) {
  const std::string text = secret(scheme);
  const std::string_view texts[] = {text};
  const std::string signature = delivery::Signer::make(texts).value().sign(message()).value();
  const auto verifier = delivery::Verifier::make(texts).value();
  const std::string timestamp = std::to_string(message().unix_seconds);
  const delivery::WebhookHeaders headers{
      .id = message().id, .timestamp = timestamp, .signature = signature};
  for (auto _ : state) {
    benchmark::DoNotOptimize(verifier.verify(headers, body(), message().unix_seconds));
  }
}

void open_sealed(benchmark::State& state) {
  const secrets::Envelope envelope(
      secrets::MasterKeys::parse(secrets::generate_master_key().text()).value());
  const auto key = envelope.unwrap({1}, envelope.make_tenant_key({1})).value();
  const secrets::Place place{.record = "sub_1", .purpose = secrets::Purpose::kSigningSecret};
  const std::string sealed =
      key.seal(place, delivery::generate_signing_secret(SignatureScheme::kHmac));
  for (auto _ : state) {
    benchmark::DoNotOptimize(key.open(place, sealed));
  }
}

constexpr auto kHmac = SignatureScheme::kHmac;
constexpr auto kEd25519 = SignatureScheme::kEd25519;

BENCHMARK_CAPTURE(sign, v1, {kHmac});
BENCHMARK_CAPTURE(sign, v1_in_rotation, {kHmac, kHmac});
BENCHMARK_CAPTURE(sign, v1a, {kEd25519});
BENCHMARK_CAPTURE(verify, v1, kHmac);
BENCHMARK_CAPTURE(verify, v1a, kEd25519);
BENCHMARK(open_sealed);

}  // namespace
