// Every setting, declared once. Flag, environment variable, key in the file, range errors,
// `postrider config` and docs/configuration.md are derived from the rows.
//
//   retry.unit    --retry.unit 60s    POSTRIDER_RETRY_UNIT=60s    [retry] unit = "60s"
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/settings.h"
#include "model/retry_policy.h"
#include "net/address.h"
#include "observe/log.h"
#include "text/bounded.h"

namespace config {

// Hours as the rolling window counts them.
struct WholeHours {
  int* hours;
};
// Written as 64MiB.
struct ByteSize {
  uint64_t* bytes;
};
// A list, or `any`.
struct Ports {
  net::GuardOptions* guard;
};

// Where a row keeps its value; the type says how it is written.
using Field =
    std::variant<bool*, std::string*, uint32_t*, uint64_t*, int*, WholeHours, ByteSize, Ports,
                 base::Duration*, std::vector<base::Duration>*, std::vector<std::string>*,
                 std::vector<net::Cidr>*, std::vector<net::Address>*, std::optional<net::Address>*,
                 net::SocketAddress*, model::RetryAnchor*, observe::Level*, observe::LogFormat*>;

struct SettingRow {
  std::string_view name;
  std::string_view group;
  std::string_view value;  // what to write; nothing for a switch
  std::string_view example;
  std::string_view help;
  Field (*field)(Settings& settings);
  text::Bounds bounds = {};     // of a number, a size in bytes, a duration in milliseconds
  std::string_view unset = "";  // what holds if the value is outside of its bounds, or empty
  bool reloads = false;         // can change while the server runs
  bool is_secret = false;
  bool is_in_file = true;
};

std::span<const SettingRow> setting_rows();

// Reads `text` into the row's field. The error follows "'<text>' ": "must be at least 1s".
base::Result<void> set_value(const SettingRow& row, std::string_view text, Settings& settings);

void copy_value(const SettingRow& row, const Settings& from, Settings& to);

// As set_value() reads it; empty if not set.
std::string value_text(const SettingRow& row, const Settings& settings);

std::string flag_of(const SettingRow& row);      // "--retry.unit"
std::string variable_of(const SettingRow& row);  // "POSTRIDER_RETRY_UNIT"
bool is_switch(const SettingRow& row);           // a flag that needs no value

// The rows by name; null if there is none.
const SettingRow* find_row(std::string_view name);

}  // namespace config
