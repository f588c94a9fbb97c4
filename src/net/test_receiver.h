// A receiver for tests, on the loop of the client under test: what it does with a connection or a
// request is what the test says. Plain or TLS.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/loop.h"

namespace net {

// What to do next on a connection.
struct Act {
  std::string bytes;  // to send first
  enum class Then { kStay, kClose, kReset } then = Then::kStay;
};

struct TestRequest {
  int connection = 0;  // numbered from 0, as they are accepted
  int number = 0;      // on its connection, from 0
  std::string text;
};

class TestReceiver {
 public:
  using Tcp = boost::asio::ip::tcp;
  using OnAccept = std::function<Act(int connection)>;
  using OnRequest = std::function<Act(const TestRequest&)>;

  explicit TestReceiver(Loop& loop, const char* address = "127.0.0.1")
      : acceptor_(loop.context(), Tcp::endpoint(boost::asio::ip::make_address(address), 0)) {
    on_request = [](const TestRequest&) {
      return Act{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"};
    };
    accept();
  }

  // `context` must outlive the receiver.
  TestReceiver(Loop& loop, boost::asio::ssl::context& context) : TestReceiver(loop) {
    context_ = &context;
  }

  ~TestReceiver() { close_all(); }

  uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::string url(const std::string& host = "127.0.0.1") const {
    return (context_ == nullptr ? "http://" : "https://") + host + ":" + std::to_string(port()) +
           "/hook";
  }

  // Ends every connection, as an idle timeout would.
  void close_all() {
    for (const auto& peer : peers_) {
      if (const auto open = peer.lock()) {
        open->close();
      }
    }
  }

  // Writes on every connection at once, asked or not.
  void say(const std::string& bytes) {
    for (const auto& peer : peers_) {
      if (const auto open = peer.lock()) {
        open->say(bytes);
      }
    }
  }

  OnAccept on_accept;
  OnRequest on_request;
  std::vector<TestRequest> requests;
  int connections = 0;
  bool is_deaf = false;      // accepts and never reads
  bool was_resumed = false;  // the last TLS handshake

 private:
  struct Peer : std::enable_shared_from_this<Peer> {
    virtual ~Peer() = default;
    virtual void close() = 0;
    virtual void say(const std::string& bytes) = 0;
  };

  template <class Stream>
  struct StreamPeer : Peer {
    StreamPeer(TestReceiver& of, Stream taken, int place)
        : receiver(of), stream(std::move(taken)), connection(place) {}

    auto self() { return std::static_pointer_cast<StreamPeer>(this->shared_from_this()); }

    void close() override {
      boost::system::error_code ignored;
      stream.lowest_layer().close(ignored);
    }

    void say(const std::string& bytes) override {
      boost::asio::write(stream, boost::asio::buffer(bytes));
    }

    void perform(Act act, bool reads_on) {
      auto bytes = std::make_shared<std::string>(std::move(act.bytes));
      boost::asio::async_write(
          stream, boost::asio::buffer(*bytes),
          [me = self(), bytes, then = act.then, reads_on](boost::system::error_code, size_t) {
            if (then == Act::Then::kReset) {
              me->stream.lowest_layer().set_option(boost::asio::socket_base::linger(true, 0));
            }
            if (then != Act::Then::kStay) {
              me->close();
            } else if (reads_on) {
              me->read();
            }
          });
    }

    void read() {
      stream.async_read_some(boost::asio::buffer(chunk),
                             [me = self()](boost::system::error_code error, size_t size) {
                               if (!error) {
                                 me->input.append(me->chunk.data(), size);
                                 me->take_request();
                               }
                             });
    }

    void take_request() {
      const size_t head = input.find("\r\n\r\n");
      const size_t field = input.find("Content-Length: ");
      const size_t length = field < head ? std::stoul(input.substr(field + 16)) : 0;
      if (head == std::string::npos || input.size() < head + 4 + length) {
        return read();
      }
      TestRequest request{
          .connection = connection, .number = number++, .text = input.substr(0, head + 4 + length)};
      input.erase(0, head + 4 + length);
      receiver.requests.push_back(request);
      perform(receiver.on_request(request), true);
    }

    TestReceiver& receiver;
    Stream stream;
    int connection;
    int number = 0;
    std::string input;
    std::array<char, 65536> chunk{};
  };

  using TlsSocket = boost::asio::ssl::stream<Tcp::socket>;

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, Tcp::socket socket) {
      if (error) {
        return;
      }
      const int number = connections++;
      if (context_ == nullptr) {
        begin(std::make_shared<StreamPeer<Tcp::socket>>(*this, std::move(socket), number));
      } else {
        secure(std::make_shared<StreamPeer<TlsSocket>>(
            *this, TlsSocket(std::move(socket), *context_), number));
      }
      accept();
    });
  }

  void secure(const std::shared_ptr<StreamPeer<TlsSocket>>& peer) {
    peers_.push_back(peer);
    peer->stream.async_handshake(
        boost::asio::ssl::stream_base::server, [this, peer](boost::system::error_code error) {
          if (!error) {
            was_resumed = SSL_session_reused(peer->stream.native_handle()) == 1;
            begin(peer);
          }
        });
  }

  template <class Stream>
  void begin(const std::shared_ptr<StreamPeer<Stream>>& peer) {
    peers_.push_back(peer);
    if (on_accept) {
      peer->perform(on_accept(peer->connection), true);
    } else if (!is_deaf) {
      peer->read();
    } else {
      deaf_.push_back(peer);
    }
  }

  Tcp::acceptor acceptor_;
  boost::asio::ssl::context* context_ = nullptr;
  std::vector<std::weak_ptr<Peer>> peers_;
  std::vector<std::shared_ptr<Peer>> deaf_;  // nothing else keeps them open
};

}  // namespace net
