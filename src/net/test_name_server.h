// A DNS server for tests, on the loop of the resolver under test. Answers from a table; names that
// are not in it do not exist.
#pragma once

#include <array>
#include <boost/asio/ip/udp.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/loop.h"

namespace net {

class TestNameServer {
 public:
  using Udp = boost::asio::ip::udp;

  struct Zone {
    std::vector<Address> addresses;
    uint32_t ttl = 60;
    int code = 0;  // 2 is SERVFAIL, 5 is REFUSED
    bool is_silent = false;
    bool is_silent_for_v6 = false;
  };

  explicit TestNameServer(Loop& loop)
      : socket_(loop.context(), Udp::endpoint(boost::asio::ip::make_address("127.0.0.1"), 0)) {
    receive();
  }

  std::string address() const {
    return "127.0.0.1:" + std::to_string(socket_.local_endpoint().port());
  }

  std::map<std::string, Zone> zones;
  std::map<std::string, int> asked;
  bool is_dead = false;

 private:
  void receive() {
    socket_.async_receive_from(boost::asio::buffer(packet_), peer_,
                               [this](boost::system::error_code error, size_t size) {
                                 if (!error) {
                                   answer(std::string(packet_.data(), size));
                                   receive();
                                 }
                               });
  }

  void answer(const std::string& query) {
    std::string name;
    size_t at = 12;
    for (; at < query.size() && query[at] != 0; at += static_cast<size_t>(query[at]) + 1) {
      name += (name.empty() ? "" : ".") + query.substr(at + 1, static_cast<size_t>(query[at]));
    }
    const bool wants_v6 = query[at + 2] == 28;
    asked[name] += 1;
    Zone zone;
    if (const auto found = zones.find(name); found != zones.end()) {
      zone = found->second;
    } else if (!name.empty()) {
      zone.code = 3;
    }
    if (is_dead || zone.is_silent || (wants_v6 && zone.is_silent_for_v6)) {
      return;
    }
    std::string records;
    int count = 0;
    for (const Address& address : zone.addresses) {
      if (address.is_v4() != wants_v6) {
        records += record(address, zone.ttl);
        count += 1;
      }
    }
    std::string reply = query.substr(0, 2);
    reply += std::string{
        '\x81', static_cast<char>(0x80 | zone.code), 0, 1, 0, static_cast<char>(count), 0, 0, 0, 0};
    reply += query.substr(12, at + 5 - 12) + records;
    boost::system::error_code ignored;
    socket_.send_to(boost::asio::buffer(reply), peer_, 0, ignored);
  }

  static std::string record(const Address& address, uint32_t ttl) {
    const bool is_v4 = address.is_v4();
    std::string text{'\xc0', '\x0c', 0, static_cast<char>(is_v4 ? 1 : 28), 0, 1};
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      text += static_cast<char>(ttl >> shift);
    }
    text += std::string{0, static_cast<char>(is_v4 ? 4 : 16)};
    if (is_v4) {
      for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        text += static_cast<char>(address.v4_bits() >> shift);
      }
    } else {
      text.append(address.v6_bytes().begin(), address.v6_bytes().end());
    }
    return text;
  }

  Udp::socket socket_;
  Udp::endpoint peer_;
  std::array<char, 1500> packet_{};
};

}  // namespace net
