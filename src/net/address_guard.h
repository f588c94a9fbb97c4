// Which addresses, ports and names a delivery may be sent to. Users write the URLs, and the server
// sits where they do not: inside the network. So everything is refused that is not plainly a public
// address, and the address is judged as a number, right before the connect, never as text.
//
// The rule for addresses:
//   - IPv6: only 2000::/3, less its special blocks. Mapped, compatible and translated IPv4, unique
//     local, link-local, multicast and all that may yet be invented lie outside. Inside, ISATAP
//     identifiers are refused as well.
//   - IPv4: all but the special-purpose registry of IANA, multicast, and 240.0.0.0/4.
//   - Well-known metadata servers, also those with a public or private address.
//   - The machine's own addresses.
//
// The operator's allow list opens blocks of these, by CIDR, with five exceptions:
//   - link-local and metadata addresses open only if `allow_link_local` is set as well;
//   - the unspecified address (0.0.0.0/8, ::) and multicast never open: no receiver lives there;
//   - an own address other than loopback opens only by an entry for exactly this address: who opens
//     10.0.0.0/8 thinks of the network, not of this server's other ports;
//   - an IPv6 address that carries an IPv4 address (mapped, NAT64, 6to4, ...) opens only if the
//     carried address may be reached too, so 64:ff9b::/96 opens NAT64 and nothing private behind
//     it. 64:ff9b:1::/48 never opens: where it carries the address is each network's choice;
//   - an IPv4 entry opens no IPv6 address, and the other way round.
//
// What it cannot see: a NAT64 or 6rd gateway with a prefix of the network's own inside 2000::/3
// looks like any public address. Such a gateway must itself refuse private targets.
//
// It refuses nothing by name that the address would not decide better; judge_name() only keeps
// names that can never be public away from the resolver.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "net/address.h"

namespace net {

struct GuardOptions {
  std::vector<Cidr> allow;
  bool allow_link_local = false;
  std::vector<uint16_t> ports = {80, 443};
  bool any_port = false;
  std::vector<Address> own_addresses;  // see own_addresses(); add the public address behind a NAT
};

enum class Refusal : uint8_t {
  kUnspecified,
  kLoopback,
  kPrivate,
  kShared,
  kLinkLocal,
  kMetadata,
  kDocumentation,
  kBenchmark,
  kInfrastructure,
  kTranslated,
  kMulticast,
  kReserved,
  kOwnAddress,
  kPort,
  kName,
};

// What the target is, to follow "the target is": "a loopback address, this machine itself".
std::string_view to_words(Refusal refusal);

class AddressGuard {
 public:
  explicit AddressGuard(GuardOptions options);

  // Each returns why not, or nothing if there is no objection.

  // The address alone. To be asked about the very address that is connected to, every time, also
  // about a literal in the URL; and about all answers of a resolver, of which one refused refuses
  // the name.
  std::optional<Refusal> judge(const Address& address) const;

  // The ports that browsers refuse because other protocols live there are refused always, even
  // with any_port.
  std::optional<Refusal> judge_port(uint16_t port) const;

  // To be asked before resolving a host that is no literal. Names that can only mean something
  // inside (localhost, single labels, .internal, .local ...) are refused while the allow list is
  // empty, for then no answer could be allowed. With an allow list they may resolve, since
  // receivers inside have such names; whatever they resolve to goes through judge(), so that
  // `localhost` still leads nowhere if only 10.0.0.0/8 is open. A name that ends in a number is
  // refused always: C libraries take it for an address.
  std::optional<Refusal> judge_name(std::string_view host) const;

 private:
  bool is_allowed(const Address& address) const;
  bool is_allowed_by_itself(const Address& address) const;
  bool opens(Refusal refusal, const Address& address) const;

  GuardOptions options_;
};

// The addresses of this machine's interfaces, sorted. Empty if the system does not tell.
std::vector<Address> own_addresses();

}  // namespace net
