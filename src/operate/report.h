// An audit's report for people and for programs.
#pragma once

#include <string>
#include <string_view>

#include "store/audit.h"

namespace operate {

std::string audit_text(const store::AuditReport& report);

// The members of an object, without its braces.
std::string audit_json(const store::AuditReport& report);

// With its quotes. Bytes above ASCII stay as they are, as terminals and file names have them.
std::string json_string(std::string_view text);

}  // namespace operate
