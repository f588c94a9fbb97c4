// Master keys: what an operator keeps outside the store, so that a stolen disk or backup tells
// nothing.
//
// They encrypt only data keys (see envelope.h). As text each is `<id>:<base64 of 32 bytes>`, one on
// a line or separated by commas; lines that begin with '#' are remarks. The last one encrypts, all
// of them decrypt: to rotate, append a key, let the server rewrap, and then delete the old line.
// A key file that others can read is refused, not warned about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "secrets/secret_bytes.h"

namespace secrets {

struct MasterKey {
  std::string id;     // 1 to 32 of a-z, 0-9, '-' and '_'; stored with everything it wraps
  SecretBytes bytes;  // 32
};

class MasterKeys {
 public:
  static base::Result<MasterKeys> parse(std::string_view text);
  static base::Result<MasterKeys> load_file(const std::string& path);
  // Wipes the variable's value: it would otherwise stay readable in /proc and for child processes.
  // Call it before other threads run; the environment has no lock.
  static base::Result<MasterKeys> take_environment(std::string_view name);

  const MasterKey& newest() const { return keys_.back(); }
  const MasterKey* find(std::string_view id) const;
  size_t size() const { return keys_.size(); }

 private:
  explicit MasterKeys(std::vector<MasterKey> keys) : keys_(std::move(keys)) {}

  std::vector<MasterKey> keys_;  // Never empty; ids are distinct. Oldest first.
};

// A new random key as a line of text, without the line break.
SecretBytes generate_master_key();
// Makes a file with one new key, readable by its owner alone. Refuses to touch an existing file.
base::Result<void> create_key_file(const std::string& path);
// Adds a new key, which encrypts from the next load on. Durable when it returns.
base::Result<void> append_key(const std::string& path);

}  // namespace secrets
