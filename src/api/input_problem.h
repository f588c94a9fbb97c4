// What is wrong with a body that the registry has read, as a problem: its errors begin with the
// field.
#pragma once

#include "api/problem.h"
#include "base/result.h"

namespace api {

// "url: must be a text" becomes field and message; a suggestion becomes the hint.
Problem input_problem(const base::Error& error);

}  // namespace api
