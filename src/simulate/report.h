// The answers of the command as text: tables for people, JSON for programs, SVG for reports.
#pragma once

#include <cstdint>
#include <string>

#include "simulate/option_table.h"
#include "simulate/result.h"
#include "simulate/scenario.h"

namespace simulate {

enum class Colours : uint8_t { kOff, kOn };

std::string schedule_table(const Scenario& scenario);
// One line each, documented field by field in docs/simulate.md.
std::string schedule_json(const Scenario& scenario);
std::string result_json(Request& request, const Result& result);

std::string result_table(const Scenario& scenario, const Result& result, Colours colours);
std::string result_svg(const Scenario& scenario, const Result& result);

// "more than 70% of 101 attempts failed": why the circuit changed, with the numbers that did it.
std::string explain(const Scenario& scenario, const model::Transition& transition);

}  // namespace simulate
