// How the API page looks, in light and in dark.
#pragma once

#include <string_view>

namespace api {

std::string_view docs_style();

}  // namespace api
