// TLS as the client speaks it: whom it trusts, and how it names what it does not.
#include <gtest/gtest.h>

#include <boost/asio/ssl.hpp>
#include <string>

#include "net/client_rig.h"
#include "net/test_certificates.h"
#include "net/test_receiver.h"

namespace net {
namespace {

using base::Duration;

class TlsTest : public ClientRig {
 protected:
  TlsTest()
      : root_(make_certificate(
            {.common_name = "root", .alternative_names = "", .is_authority = true})),
        context_(boost::asio::ssl::context::tls_server) {
    trust(root_);
  }

  void trust(const TestCertificate& root) {
    options_.tls = *TlsIdentity::make(**TlsRoots::from_pem(root.pem()));
  }

  // `chain` follows the leaf.
  void show(const TestCertificate& leaf, const std::string& chain = "") {
    context_.use_certificate_chain(boost::asio::buffer(leaf.pem() + chain));
    context_.use_private_key(boost::asio::buffer(leaf.key_pem()), boost::asio::ssl::context::pem);
  }

  void show_valid() { show(make_certificate({.common_name = "leaf", .issuer = &root_})); }

  TlsFailure failure_of(const Reply& reply) {
    const auto* failed = std::get_if<TlsFailed>(&reply.ending);
    EXPECT_NE(failed, nullptr) << "ending " << reply.ending.index();
    if (failed == nullptr) {
      return TlsFailure::kHandshake;
    }
    EXPECT_FALSE(failed->problem.explanation.empty());
    return failed->problem.failure;
  }

  TlsFailure failure() {
    TestReceiver receiver(loop_, context_);
    const Reply reply = post(receiver.url());
    EXPECT_EQ(client().open_connections(), 0U);
    EXPECT_TRUE(receiver.requests.empty());
    return failure_of(reply);
  }

  TestCertificate root_;
  boost::asio::ssl::context context_;
};

TEST_F(TlsTest, PostsToATrustedReceiverByItsAddress) {
  show_valid();
  TestReceiver receiver(loop_, context_);
  EXPECT_EQ(status_of(post(receiver.url())), 200);
  EXPECT_TRUE(post(receiver.url()).is_reused);
  EXPECT_EQ(receiver.connections, 1);
  EXPECT_EQ(receiver.requests.size(), 2U);
}

TEST_F(TlsTest, ANewConnectionResumesTheSessionOfTheSameOwnerOnly) {
  show_valid();
  TestReceiver receiver(loop_, context_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"};
  };
  post(receiver.url());
  EXPECT_FALSE(receiver.was_resumed);
  post(receiver.url());
  EXPECT_TRUE(receiver.was_resumed);
  Request other = request_to(receiver.url());
  other.pool_owner = 2;
  post(std::move(other));
  EXPECT_FALSE(receiver.was_resumed);
}

TEST_F(TlsTest, AnIdleConnectionSurvivesWhatTlsSaysToItself) {
  show_valid();
  TestReceiver receiver(loop_, context_);
  receiver.on_request = [](const TestRequest&) {
    return Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
  };
  post(receiver.url());
  settle();
  EXPECT_EQ(client().idle_connections(), 1U);
  receiver.close_all();
  EXPECT_TRUE(loop_.run_until([&] { return client().open_connections() == 0; }, kPatience));
}

TEST_F(TlsTest, LargeBodiesArriveWhole) {
  show_valid();
  TestReceiver receiver(loop_, context_);
  Request request = request_to(receiver.url());
  const std::string body(size_t{2} * 1024 * 1024, 'y');
  request.body = std::make_shared<const std::string>(body);
  EXPECT_EQ(status_of(post(std::move(request))), 200);
  EXPECT_TRUE(receiver.requests[0].text.ends_with("\r\n\r\n" + body));
}

TEST_F(TlsTest, ExpiredCertificate) {
  show(make_certificate(
      {.valid_from_seconds = -7200, .valid_until_seconds = -60, .issuer = &root_}));
  EXPECT_EQ(failure(), TlsFailure::kCertificateExpired);
}

TEST_F(TlsTest, CertificateOfTheFuture) {
  show(make_certificate({.valid_from_seconds = 600, .issuer = &root_}));
  EXPECT_EQ(failure(), TlsFailure::kCertificateNotYetValid);
}

TEST_F(TlsTest, SelfSignedCertificate) {
  show(make_certificate({.common_name = "alone"}));
  EXPECT_EQ(failure(), TlsFailure::kSelfSigned);
}

TEST_F(TlsTest, CertificateForAnotherHost) {
  show(make_certificate({.alternative_names = "DNS:other.example,IP:127.0.0.2", .issuer = &root_}));
  EXPECT_EQ(failure(), TlsFailure::kWrongHost);
}

TEST_F(TlsTest, ACommonNameAloneCountsForNothing) {
  show(make_certificate({.common_name = "127.0.0.1", .alternative_names = "", .issuer = &root_}));
  EXPECT_EQ(failure(), TlsFailure::kWrongHost);
}

TEST_F(TlsTest, RootThatIsNotTrusted) {
  const TestCertificate stranger =
      make_certificate({.common_name = "stranger", .alternative_names = "", .is_authority = true});
  show(make_certificate({.issuer = &stranger}), stranger.pem());
  EXPECT_EQ(failure(), TlsFailure::kUntrustedRoot);
}

TEST_F(TlsTest, MissingIntermediate) {
  const TestCertificate intermediate = make_certificate({.common_name = "intermediate",
                                                         .alternative_names = "",
                                                         .is_authority = true,
                                                         .issuer = &root_});
  const TestCertificate leaf = make_certificate({.issuer = &intermediate});
  show(leaf);
  EXPECT_EQ(failure(), TlsFailure::kIncompleteChain);

  boost::asio::ssl::context complete(boost::asio::ssl::context::tls_server);
  complete.use_certificate_chain(boost::asio::buffer(leaf.pem() + intermediate.pem()));
  complete.use_private_key(boost::asio::buffer(leaf.key_pem()), boost::asio::ssl::context::pem);
  TestReceiver receiver(loop_, complete);
  EXPECT_EQ(status_of(post(receiver.url())), 200);
}

TEST_F(TlsTest, OldVersionsAreNotSpoken) {
  show_valid();
  SSL_CTX_set_min_proto_version(context_.native_handle(), TLS1_1_VERSION);
  SSL_CTX_set_max_proto_version(context_.native_handle(), TLS1_1_VERSION);
  SSL_CTX_set_security_level(context_.native_handle(), 0);
  EXPECT_EQ(failure(), TlsFailure::kVersion);
}

TEST_F(TlsTest, Tls12IsSpoken) {
  show_valid();
  SSL_CTX_set_max_proto_version(context_.native_handle(), TLS1_2_VERSION);
  TestReceiver receiver(loop_, context_);
  EXPECT_EQ(status_of(post(receiver.url())), 200);
}

TEST_F(TlsTest, AReceiverThatSpeaksNoTlsIsAHandshakeFailure) {
  TestReceiver receiver(loop_);
  receiver.on_accept = [](int) { return Act{.bytes = "HTTP/1.1 400 Bad Request\r\n\r\n"}; };
  const Reply reply = post("https://127.0.0.1:" + std::to_string(receiver.port()) + "/");
  EXPECT_EQ(failure_of(reply), TlsFailure::kHandshake);
}

TEST_F(TlsTest, AConnectionThatBreaksInTheHandshakeIsBrokenOffThere) {
  for (const auto then : {Act::Then::kClose, Act::Then::kReset}) {
    TestReceiver receiver(loop_);
    receiver.on_accept = [then](int) { return Act{.bytes = "", .then = then}; };
    const Reply reply = post("https://127.0.0.1:" + std::to_string(receiver.port()) + "/");
    EXPECT_EQ(std::get<BrokenOff>(reply.ending).phase, Phase::kTls);
  }
}

TEST_F(TlsTest, ASilentReceiverTimesOutInTheHandshake) {
  TestReceiver receiver(loop_);
  receiver.on_accept = [](int) { return Act{}; };
  const Reply reply =
      post("https://127.0.0.1:" + std::to_string(receiver.port()) + "/", Duration::ms(80));
  EXPECT_EQ(std::get<TimedOut>(reply.ending).phase, Phase::kTls);
}

class ClientCertificateTest : public TlsTest {
 protected:
  ClientCertificateTest() {
    show_valid();
    context_.set_verify_mode(boost::asio::ssl::verify_peer |
                             boost::asio::ssl::verify_fail_if_no_peer_cert);
    context_.add_certificate_authority(boost::asio::buffer(root_.pem()));
  }
};

TEST_F(ClientCertificateTest, IsShownToAReceiverThatDemandsOne) {
  const TestCertificate mine = make_certificate({.common_name = "me", .issuer = &root_});
  TestReceiver receiver(loop_, context_);
  Request request = request_to(receiver.url());
  request.tls = *TlsIdentity::make(**TlsRoots::from_pem(root_.pem()),
                                   {.certificate_pem = mine.pem(), .key_pem = mine.key_pem()});
  EXPECT_EQ(status_of(post(std::move(request))), 200);
}

TEST_F(ClientCertificateTest, MissingOneIsNamedInBothVersionsOfTls) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    SSL_CTX_set_max_proto_version(context_.native_handle(), version);
    TestReceiver receiver(loop_, context_);
    const Reply reply = post(receiver.url());
    const TlsFailure found = failure_of(reply);
    EXPECT_TRUE(found == TlsFailure::kClientCertificate || found == TlsFailure::kHandshake);
    if (version == TLS1_3_VERSION) {
      EXPECT_EQ(found, TlsFailure::kClientCertificate);
    }
  }
}

TEST(TlsIdentityTest, RefusesWhatIsNoCertificateOrKey) {
  const TestCertificate root = make_certificate({});
  const TestCertificate other = make_certificate({.common_name = "other"});
  EXPECT_FALSE(TlsRoots::from_pem("nonsense").has_value());
  const auto roots = *TlsRoots::from_pem(root.pem());
  EXPECT_FALSE(TlsIdentity::make(*roots, {.certificate_pem = "x", .key_pem = "y"}).has_value());
  EXPECT_FALSE(
      TlsIdentity::make(*roots, {.certificate_pem = root.pem(), .key_pem = "y"}).has_value());
  EXPECT_FALSE(
      TlsIdentity::make(*roots, {.certificate_pem = root.pem(), .key_pem = other.key_pem()})
          .has_value());
  EXPECT_TRUE(TlsIdentity::make(*roots, {.certificate_pem = root.pem(), .key_pem = root.key_pem()})
                  .has_value());
}

TEST(TlsIdentityTest, EachIdentityHasANumberOfItsOwn) {
  const auto roots = *TlsRoots::from_pem(make_certificate({}).pem());
  const uint64_t first = (*TlsIdentity::make(*roots))->id();
  EXPECT_NE(first, (*TlsIdentity::make(*roots))->id());
}

TEST(TlsRootsTest, TheSystemsAreFound) { EXPECT_TRUE(TlsRoots::system().has_value()); }

}  // namespace
}  // namespace net
