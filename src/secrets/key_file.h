// Reads and writes the file of master keys; refuses one that others can read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "secrets/secret_bytes.h"

namespace secrets {

// The whole file. An error if it is no regular file, if anybody but its owner has any right to it,
// or if its owner is neither this user nor root.
base::Result<SecretBytes> read_private_file(const std::string& path);

enum class FileMode { kCreate, kAppend };  // kCreate fails if the file is there

// Durable when it returns.
base::Result<void> write_private_file(const std::string& path, FileMode mode,
                                      std::string_view text);

}  // namespace secrets
