// slowhttptest in a process of its own: a thousand connections to a server, in one of its four
// modes. It ends with this object or with our process.
//
// Attackers are other machines in truth, and slowhttptest spins on a whole processor while it holds
// its connections. So, once it is felt, it gives way to others and gets half a hundredth of one, in
// turns of a millisecond: enough for all that it does to the server.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/served.h"

namespace bench {

struct SlowMode {
  std::string_view key;  // in JSON
  std::string_view words;
  std::string_view alone_key;  // of the same without an attack
  std::string_view alone_words;
  std::vector<std::string> flags;
  std::string_view path;
  bool holds_connections = true;  // or else each is answered and closed
};

const std::array<SlowMode, 4>& slow_modes();

class SlowAttack {
 public:
  // If connections are held, it returns when the server has half of them.
  SlowAttack(const Served& server, const SlowMode& mode);
  ~SlowAttack();
  SlowAttack(const SlowAttack&) = delete;
  SlowAttack& operator=(const SlowAttack&) = delete;

  // Ends the program if it is over already.
  void check_is_under_way() const;

 private:
  pid_t attacker_ = -1;
  pid_t keeper_ = -1;
};

}  // namespace bench
