// Every option of `postrider simulate`, declared once. Parsing, range errors, --help, the table in
// docs/simulate.md and the `settings` of the JSON output are derived from the rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/retry_policy.h"
#include "simulate/scenario.h"
#include "text/bounded.h"

namespace simulate {

// What one command line asks for.
struct Request {
  bool help = false;
  bool help_markdown = false;
  bool schedule = false;
  bool json = false;
  bool trace = false;
  std::string svg;
  Scenario scenario;
};

// Hours as the rolling window counts them.
struct WholeHours {
  int* hours;
};

// Where a row keeps its value; the type says how it is written.
using Field =
    std::variant<bool*, std::string*, uint16_t*, uint32_t*, uint64_t*, int*, WholeHours,
                 base::Duration*, std::vector<base::Duration>*, Rate*, model::RetryAnchor*>;

// A number or a duration in milliseconds outside of its bounds means "not set".
using text::Bounds;

struct OptionRow {
  std::string_view name;  // with its dashes
  std::string_view group;
  std::string_view value;  // what to write after it; nothing for a switch
  std::string_view example;
  std::string_view help;
  Field (*field)(Request& request);
  Bounds bounds = {};
  std::string_view unset = "";    // what holds if it is not set
  std::string_view forever = "";  // the word for kForever
  bool repeats = false;
  bool hidden = false;
};

std::span<const OptionRow> option_rows();

// Reads `text` into the row's field. The error names the option, the text and a way out.
base::Result<bool> set_option(const OptionRow& row, std::string_view text, Request& request);

// As it would be written on the command line; empty if not set.
std::string value_text(const OptionRow& row, Request& request);

// The known name that is nearest to a mistyped one; empty if none is near.
std::string_view nearest_option(std::string_view name);

std::string help_text();
std::string help_markdown();

}  // namespace simulate
