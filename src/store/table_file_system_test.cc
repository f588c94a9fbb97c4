#include "store/table_file_system.h"

#include <gtest/gtest.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/check.h"

namespace store {
namespace {

class TableFileSystemTest : public testing::Test {
 protected:
  TableFileSystemTest() {
    options_.env = table_env();
    rocksdb::BlockBasedTableOptions table;
    table.format_version = 5;
    table.checksum = rocksdb::ChecksumType::kXXH3;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::SstFileWriter writer({}, options_);
    CHECK(writer.Open(path_).ok());
    for (char key = 'a'; key <= 'z'; ++key) {
      CHECK(writer.Put(std::string(1, key), std::string(20, key)).ok());
    }
    CHECK(writer.Finish().ok());
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~TableFileSystemTest() override { std::filesystem::remove_all(directory_); }

  // Opens and reads it all, as RocksDB does.
  rocksdb::Status read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    rocksdb::SstFileReader reader(options_);
    const rocksdb::Status opened = reader.Open(path_);
    return opened.ok() ? reader.VerifyChecksum() : opened;
  }

  static std::string make_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "table-XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    return pattern;
  }

  const std::string directory_ = make_directory();
  const std::string path_ = directory_ + "/000001.sst";
  rocksdb::Options options_;
  std::string bytes_;
};

TEST_F(TableFileSystemTest, ASoundTableIsOpened) { EXPECT_TRUE(read(bytes_).ok()); }

// Without the check one of these ends the process.
TEST_F(TableFileSystemTest, NoFlippedBitOfATableEndsTheProcess) {
  size_t refused = 0;
  for (size_t at = 0; at < bytes_.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes_;
      damaged[at] = static_cast<char>(static_cast<uint8_t>(damaged[at]) ^ (1U << bit));
      const rocksdb::Status status = read(damaged);
      refused += status.ToString().find("properties of a table file") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GE(refused, 1U) << "there is such a bit";
}

TEST_F(TableFileSystemTest, ATableThatEndsAnywhereIsLeftToRocksDb) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    EXPECT_FALSE(read(bytes_.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace store
