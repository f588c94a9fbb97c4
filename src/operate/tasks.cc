#include "operate/tasks.h"

#include <fmt/format.h>

#include <future>
#include <memory>

#include "operate/report.h"
#include "store/audit.h"
#include "store/data_directory.h"
#include "store/engine.h"
#include "store/restore.h"

namespace operate {
namespace {

base::Result<store::BackupResult> back_up(const std::string& directory, const std::string& target) {
  TRY([[maybe_unused]] const bool is_free, store::check_unused(directory));
  TRY(const std::unique_ptr<store::Engine> engine, store::Engine::open({.directory = directory}));
  std::promise<base::Result<store::BackupResult>> promise;
  engine->backup(target, [&promise](base::Result<store::BackupResult> result) {
    promise.set_value(std::move(result));
  });
  return promise.get_future().get();
}

}  // namespace

base::Result<Answer> audit_directory(const std::vector<std::string>& operands) {
  TRY(const store::AuditReport report, store::audit_directory(operands[0]));
  return Answer{.is_sound = report.ok(),
                .text = audit_text(report),
                .json = "{" + audit_json(report) + "}\n"};
}

base::Result<Answer> make_backup(const std::vector<std::string>& operands) {
  const std::string& target = operands[1];
  TRY(const store::BackupResult made, back_up(operands[0], target));
  TRY(const store::AuditReport report, store::audit_directory(target));
  return Answer{.is_sound = report.ok(),
                .text = fmt::format("Backup made: {}, {} bytes.\n\n{}", target, made.bytes,
                                    audit_text(report)),
                .json = fmt::format("{{\"backup\":{},\"bytes\":{},{}}}\n", json_string(target),
                                    made.bytes, audit_json(report))};
}

base::Result<Answer> restore_backup(const std::vector<std::string>& operands) {
  const std::string& directory = operands[1];
  TRY(const store::AuditReport report, store::restore_backup(operands[0], directory));
  return Answer{
      .is_sound = report.ok(),
      .text = fmt::format("Restored: {}\n\n{}", directory, audit_text(report)),
      .json = fmt::format("{{\"directory\":{},{}}}\n", json_string(directory), audit_json(report))};
}

}  // namespace operate
