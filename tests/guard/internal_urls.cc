#include "tests/guard/internal_urls.h"

#include <array>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace guard {

namespace {

struct Host {
  std::string text;
  std::optional<net::Address> target;
};

constexpr auto kTargetsV4 = std::to_array<std::string_view>({
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "100.64.0.1",
    "192.0.0.192",
    "198.18.0.1",
    "255.255.255.255",
});

constexpr auto kTargetsV6 = std::to_array<std::string_view>({
    "::1",
    "::",
    "fe80::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fd00::1",
    "fc00::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "2001:db8::1",
});

constexpr auto kNames = std::to_array<std::string_view>({
    "localhost",
    "LOCALHOST",
    "LocalHost",
    "localhost.",
    "localhost.localdomain",
    "a.localhost",
    "ip6-localhost",
    "ip6-loopback",
    "broadcasthost",
    "metadata",
    "metadata.google.internal",
    "METADATA.GOOGLE.INTERNAL",
    "metadata.google.internal.",
    "instance-data",
    "instance-data.ec2.internal",
    "kubernetes",
    "kubernetes.default.svc.cluster.local",
    "host.docker.internal",
    "gateway.docker.internal",
    "router.lan",
    "nas.home.arpa",
    "printer.local",
    "intranet",
    "db.corp",
    "wpad",
    "x.intranet",
    "x.private",
    "x.onion",
});

// {h} is the host, {p} the port.
constexpr auto kTricks = std::to_array<std::string_view>({
    "http:{h}/",
    "http:/{h}/",
    "http:///{h}/",
    "http:////{h}/",
    "http:\\\\{h}/",
    "http:/\\{h}/",
    "//{h}/",
    "{h}",
    "{h}:{p}/",
    "://{h}/",
    "http://example.com@{h}/",
    "http://example.com:80@{h}/",
    "http://user:pass@{h}:{p}/",
    "http://@{h}/",
    "http://:@{h}/",
    "http://a@b@{h}/",
    "http://example.com%40{h}/",
    "http://example.com\\@{h}/",
    "http://{h}\\@example.com/",
    "http://{h}\\.example.com/",
    "http://{h}#@example.com/",
    "http://{h}?@example.com/",
    "http://{h}:{p}#@example.com/",
    "http://{h}/@example.com",
    "http://{h};@example.com/",
    "http://{h}&@example.com/",
    "http://{h},example.com/",
    "http://{h} example.com/",
    "http://example.com {h}/",
    " http://{h}/",
    "http://{h}/ ",
    "http:// {h}/",
    "http://\t{h}/",
    "http://{h}\t/",
    "ht\ttp://{h}/",
    "ht\ntp://{h}/",
    "http://\n{h}/",
    "http://{h}\r\n/",
    "http://\x01{h}/",
    "http://{h}%00/",
    "http://{h}%00.example.com/",
    "http://{h}%0d%0a/",
    "http://{h}%2f/",
    "http://{h}%23.example.com/",
    "http://{h}%5c.example.com/",
    "http://{h}%20/",
    "http://%20{h}/",
    "http://{h}:{p}:80/",
    "http://{h}:80:{p}/",
    "http://{h}:+{p}/",
    "http://{h}: {p}/",
    "http://{h}:0x50/",
    "http://{h}:{p}@example.com/",
    "http://{h}:/",
    "http://{h}:0/",
    "http://[{h}]/",
    "http://[{h}/",
    "http://{h}]/",
    "http://[::{h}]/",
    "http://[::ffff:{h}]/",
    "http://[{h}%25lo]/",
    "http://[::ffff:{h}%lo]/",
    "http://[v1.{h}]/",
    "http://..{h}/",
    "http://.{h}/",
    "http://{h}../",
    "http://-{h}/",
    "file://{h}/etc/passwd",
    "ftp://{h}/",
    "gopher://{h}:{p}/_x",
    "dict://{h}:{p}/",
    "ws://{h}/",
    "ldap://{h}/",
    "tftp://{h}/",
    "jar:http://{h}!/",
    "url:http://{h}/",
    "view-source:http://{h}/",
    "unix://{h}/",
    "javascript://{h}/%0a1",
});

std::string replaced(std::string_view pattern, std::string_view mark, std::string_view with) {
  std::string text(pattern);
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), with);
    at += with.size();
  }
  return text;
}

std::vector<std::string> whole_urls() {
  std::vector<std::string> patterns;
  for (const std::string scheme : {"http://", "https://", "HTTP://"}) {
    for (const std::string port : {"", ":80", ":{p}"}) {
      std::string pattern = scheme;
      pattern.append("{h}").append(port);
      patterns.push_back(pattern);
      patterns.push_back(pattern.append("/latest/meta-data/?q=1"));
    }
  }
  return patterns;
}

std::string octets_as(const char* format, uint32_t bits) {
  std::string text;
  for (const uint32_t shift : {24U, 16U, 8U, 0U}) {
    std::array<char, 24> octet{};
    std::snprintf(octet.data(), octet.size(), format, bits >> shift & 255U);
    text += (text.empty() ? "" : ".") + std::string(octet.data());
  }
  return text;
}

std::string number_as(const char* format, uint64_t value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// What C libraries and browsers take for this IPv4 address.
std::vector<std::string> loose_spellings(uint32_t bits) {
  const std::string first = std::to_string(bits >> 24U);
  const std::string second = std::to_string(bits >> 16U & 255U);
  std::vector<std::string> spellings = {
      octets_as("%u", bits),
      octets_as("%u", bits) + ".",
      octets_as("0x%x", bits),
      octets_as("0X%02X", bits),
      octets_as("0x%08x", bits),
      octets_as("0%o", bits),
      octets_as("%04o", bits),
      octets_as("0000%o", bits),
      number_as("%lu", bits),
      number_as("0x%lx", bits),
      number_as("0X%lX", bits),
      number_as("0x00000000%lx", bits),
      number_as("0%lo", bits),
      number_as("0000000%lo", bits),
      number_as("%lu.", bits),
      first + "." + number_as("%lu", bits & 0xffffffU),
      first + "." + number_as("0x%lx", bits & 0xffffffU),
      number_as("0x%lx", bits >> 24U) + "." + number_as("0%lo", bits & 0xffffffU),
      first + "." + second + "." + number_as("%lu", bits & 0xffffU),
      number_as("0%lo", bits >> 24U) + "." + second + "." + number_as("0x%lx", bits & 0xffffU),
      first + "." + number_as("0x%lx", bits >> 16U & 255U) + "." +
          number_as("0%lo", bits >> 8U & 255U) + "." + number_as("%lu", bits & 255U),
  };
  return spellings;
}

// What only a careless reader takes for it: numbers that wrap around, digits in disguise.
std::vector<std::string> disguised_spellings(uint32_t bits) {
  const std::string dotted = octets_as("%u", bits);
  std::string encoded;
  std::string wide;
  for (const char c : dotted) {
    encoded += number_as("%%%02lx", static_cast<unsigned char>(c));
    wide += c == '.' ? "\xe3\x80\x82" : std::string("\xef\xbc") + static_cast<char>(0x90 + c - '0');
  }
  return {
      encoded,
      replaced(dotted, ".", "%2e"),
      wide,
      replaced(dotted, ".", "\xe3\x80\x82"),
      number_as("%lu", (uint64_t{1} << 32U) + bits),
      number_as("0x1%08lx", bits),
      number_as("%lu", bits >> 24U) + "." + number_as("%lu", (1U << 24U) + (bits & 0xffffffU)),
      number_as("%lu", 256 + (bits >> 24U)) + dotted.substr(dotted.find('.')),
      dotted + ".0",
      replaced(dotted, ".", ".."),
      "[" + dotted + "]",
      dotted + "%00",
      std::string("a.") + number_as("%lu", bits),
  };
}

std::string text_of_groups(const net::Address& address) {
  std::string text;
  for (size_t i = 0; i < 16; i += 2) {
    const auto& bytes = address.v6_bytes();
    text += (i == 0 ? "" : ":") + number_as("%04lx", uint64_t{bytes[i]} << 8U | bytes[i + 1]);
  }
  return text;
}

void add_v6(std::vector<Host>& hosts, std::string_view text) {
  const auto address = net::Address::parse(text);
  CHECK(address.has_value());
  hosts.push_back({"[" + std::string(text) + "]", address});
  hosts.push_back({"[" + text_of_groups(*address) + "]", address});
  hosts.push_back({"[" + std::string(text) + "%25eth0]", std::nullopt});
  hosts.push_back({"[" + std::string(text) + "%lo]", std::nullopt});
  hosts.push_back({std::string(text), std::nullopt});
}

void add_embeddings(std::vector<Host>& hosts, uint32_t bits) {
  const std::string dotted = octets_as("%u", bits);
  const std::string groups = number_as("%lx", bits >> 16U) + ":" + number_as("%lx", bits & 0xffffU);
  const uint32_t inverted = ~bits;
  for (const std::string& text : std::initializer_list<std::string>{
           "::ffff:" + dotted, "::ffff:" + groups, "0:0:0:0:0:FFFF:" + dotted, "::" + dotted,
           "::" + groups, "::ffff:0:" + dotted, "64:ff9b::" + dotted, "64:ff9b::" + groups,
           "64:ff9b:1::" + dotted, "2002:" + groups + "::1",
           "2002:" + groups + "::", "::5efe:" + dotted, "fe80::5efe:" + dotted,
           "2606:4700::5efe:" + dotted, "2606:4700::200:5efe:" + groups,
           "2001:0:808:808:0:ffff:" + number_as("%lx", inverted >> 16U) + ":" +
               number_as("%lx", inverted & 0xffffU)}) {
    hosts.push_back({"[" + text + "]", net::Address::parse(text)});
  }
}

std::vector<Host> internal_hosts() {
  std::vector<Host> hosts;
  for (const std::string_view text : kTargetsV4) {
    const net::Address target = *net::Address::parse(text);
    for (std::string& spelling : loose_spellings(target.v4_bits())) {
      hosts.push_back({std::move(spelling), target});
    }
    for (std::string& spelling : disguised_spellings(target.v4_bits())) {
      hosts.push_back({std::move(spelling), std::nullopt});
    }
    add_embeddings(hosts, target.v4_bits());
  }
  for (const std::string_view text : kTargetsV6) {
    add_v6(hosts, text);
  }
  for (const std::string_view name : kNames) {
    hosts.push_back({std::string(name), std::nullopt});
  }
  return hosts;
}

}  // namespace

std::vector<InternalUrl> internal_urls(uint16_t port) {
  const std::string number = std::to_string(port);
  std::vector<InternalUrl> urls;
  for (const Host& host : internal_hosts()) {
    for (const std::string& pattern : whole_urls()) {
      urls.push_back({replaced(replaced(pattern, "{h}", host.text), "{p}", number), host.target});
    }
  }
  for (const std::string_view trick : kTricks) {
    for (const std::string_view host :
         {"127.0.0.1", "169.254.169.254", "2130706433", "localhost"}) {
      urls.push_back({replaced(replaced(trick, "{h}", host), "{p}", number), std::nullopt});
    }
  }
  // A NUL inside, which ends the text for C.
  using namespace std::string_literals;
  urls.push_back({"http://127.0.0.1\0.example.com/"s, std::nullopt});
  urls.push_back({"http://localhost\0/"s, std::nullopt});
  return urls;
}

}  // namespace guard
