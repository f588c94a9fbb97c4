#include "store/free_space.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace store {

namespace {

constexpr uint64_t kMebibyte = 1ULL << 20U;
constexpr uint64_t kReserveMin = 256 * kMebibyte;
constexpr uint64_t kReserveDivisor = 50;
constexpr uint64_t kHysteresisDivisor = 8;

// Rounded up, so that a reason never says "0 MiB" of something that is there.
uint64_t mebibytes(uint64_t bytes) { return bytes / kMebibyte + (bytes % kMebibyte != 0 ? 1 : 0); }

}  // namespace

SpaceLimits default_space_limits(uint64_t total_bytes) {
  return space_limits(std::max(kReserveMin, total_bytes / kReserveDivisor));
}

SpaceLimits space_limits(uint64_t reserve_bytes) {
  return {.reserve_bytes = reserve_bytes, .hysteresis_bytes = reserve_bytes / kHysteresisDivisor};
}

bool SpaceJudge::judge(uint64_t available_bytes) {
  if (available_bytes < limits_.reserve_bytes) {
    accepts_ = false;
  } else if (available_bytes - limits_.reserve_bytes >= limits_.hysteresis_bytes) {
    accepts_ = true;
  }
  return accepts_;
}

std::string SpaceJudge::reason(uint64_t available_bytes) const {
  return "the disk is nearly full: " + std::to_string(mebibytes(available_bytes)) +
         " MiB are free, and new events are accepted again from " +
         std::to_string(mebibytes(limits_.reserve_bytes + limits_.hysteresis_bytes)) + " MiB";
}

base::Result<DiskSpace> read_disk_space(const std::string& directory) {
  struct statvfs figures{};
  if (::statvfs(directory.c_str(), &figures) != 0) {
    return base::fail(base::ErrorCode::kIo, "the free space of " + directory + " cannot be read: " +
                                                std::generic_category().message(errno));
  }
  return DiskSpace{.total_bytes = uint64_t{figures.f_blocks} * figures.f_frsize,
                   .available_bytes = uint64_t{figures.f_bavail} * figures.f_frsize};
}

}  // namespace store
