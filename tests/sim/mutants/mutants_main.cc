// Switches on one planted bug at a time and runs seeds until the checkers, or a CHECK, notice.
// Prints how many died and names the survivors.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "mutant_switch.h"
#include "tests/sim/forked.h"
#include "tests/sim/world.h"

namespace {

struct Request {
  uint64_t seeds = 200;
  uint64_t jobs = 2;
  std::string only;
};

// A planted bug may keep a run from ending; that is a way of being noticed, too.
constexpr unsigned kSecondsPerMutant = 120;

void hunt(size_t index, uint64_t seeds, const swarm::Say& say) {
  mutants::active = static_cast<int>(index);
  alarm(kSecondsPerMutant);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    say(fmt::format("try {} {}\n", index, seed));
    const swarm::Plan plan = swarm::make_plan(seed);
    const swarm::RunReport report = swarm::World(plan, {}).run();
    if (!report.violations.empty()) {
      say(fmt::format("kill {} {} {}\n", index, seed, report.violations.front().rule));
      return;
    }
  }
  say(fmt::format("live {}\n", index));
}

struct Score {
  uint64_t dead = 0;
  uint64_t alive = 0;
};

void print_fate(Score& score, size_t index, bool is_dead, const std::string& how) {
  const mutants::Mutant& mutant = mutants::kMutants[index];
  (is_dead ? score.dead : score.alive) += 1;
  fmt::print("{:<8} {:<28} {:<44} {}\n", is_dead ? "killed" : "ALIVE", mutant.name, how,
             mutant.what);
  std::fflush(stdout);
}

void run_one(Score& score, size_t index, uint64_t seeds) {
  uint64_t seed = 0;
  std::string rule;
  bool is_over = false;
  swarm::run_forked(
      1, [&](uint64_t, const swarm::Say& say) { hunt(index, seeds, say); },
      [&](const std::string& line) {
        std::array<char, 64> name{};
        if (std::sscanf(line.c_str(), "try %*u %lu", &seed) == 1) {
          return;
        }
        is_over = true;
        if (std::sscanf(line.c_str(), "kill %*u %lu %63s", &seed, name.data()) == 2) {
          rule = name.data();
        }
      },
      [&](const std::string&, int) {
        is_over = true;
        rule = "CHECK or no end";
      });
  const bool is_dead = is_over && !rule.empty();
  print_fate(score, index, is_dead, is_dead ? fmt::format("seed {}: {}", seed, rule) : "");
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  CLI::App app{"Checks that the checkers notice planted bugs."};
  app.add_option("--seeds", request.seeds, "Seeds per mutant");
  app.add_option("--jobs", request.jobs, "Mutants side by side");
  app.add_option("--only", request.only, "Only the mutant of this name");
  CLI11_PARSE(app, argc, argv);
  Score score;
  // Workers share the list by turns; each prints the fates of its own and says how many.
  swarm::run_forked(
      request.jobs,
      [&](uint64_t worker, const swarm::Say& say) {
        Score own;
        for (size_t i = worker; i < mutants::kMutants.size(); i += request.jobs) {
          if (request.only.empty() || request.only == mutants::kMutants[i].name) {
            run_one(own, i, request.seeds);
          }
        }
        say(fmt::format("{} {}\n", own.dead, own.alive));
      },
      [&](const std::string& line) {
        Score part;
        if (std::sscanf(line.c_str(), "%lu %lu", &part.dead, &part.alive) == 2) {
          score.dead += part.dead;
          score.alive += part.alive;
        }
      },
      [&](const std::string&, int status) {
        fmt::print("a worker ended with status {}\n", status);
        score.alive += 1;
      });
  fmt::print("{} of {} mutants killed\n", score.dead, score.dead + score.alive);
  return score.alive == 0 && score.dead > 0 ? 0 : 1;
}
