#include "store/table_file_system.h"

#include <optional>
#include <string_view>

#include "store/bytes.h"

namespace store {

using rocksdb::FSRandomAccessFile;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

namespace {

// The layout of a table's end, as RocksDB documents it:
//   ... properties block ... metaindex block (name -> place of a block) ... footer
constexpr size_t kFooterSize = 53;
constexpr uint64_t kMagic = 0x88e241b785f4cff7U;  // of RocksDB's block-based tables
constexpr std::string_view kPropertiesName = "rocksdb.properties";
constexpr uint64_t kBlockSizeMax = 1ULL << 20U;  // far beyond what our tables have
constexpr size_t kCountSize = 4;                 // of the restart points, at a block's end

struct Place {
  uint64_t offset = 0;
  uint64_t size = 0;
};

uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t index = bytes.size(); index > 0; --index) {
    value = (value << 8U) | static_cast<uint8_t>(bytes[index - 1]);
  }
  return value;
}

std::optional<Place> read_place(ByteReader& reader) {
  Place place;
  place.offset = reader.varint();
  place.size = reader.varint();
  const bool is_sound = reader.ok() && place.size >= kCountSize && place.size <= kBlockSizeMax;
  return is_sound ? std::optional(place) : std::nullopt;
}

std::optional<Place> metaindex_place(std::string_view footer) {
  if (footer.size() != kFooterSize || little_endian(footer.substr(kFooterSize - 8)) != kMagic) {
    return std::nullopt;
  }
  ByteReader reader(footer);
  reader.u8();  // kind of checksum
  return read_place(reader);
}

std::optional<Place> properties_place(std::string_view metaindex) {
  ByteReader reader(metaindex);
  std::string key;
  while (reader.ok() && !reader.rest().empty()) {
    const uint64_t shared = reader.varint();
    const uint64_t unshared = reader.varint();
    const uint64_t value_size = reader.varint();
    const std::string_view rest = reader.rest();
    if (shared > key.size() || unshared > rest.size() || value_size > rest.size() - unshared) {
      return std::nullopt;
    }
    key.resize(shared);
    key += rest.substr(0, unshared);
    if (key == kPropertiesName) {
      ByteReader value(rest.substr(unshared, value_size));
      return read_place(value);
    }
    reader = ByteReader(rest.substr(unshared + value_size));
  }
  return std::nullopt;
}

// Nothing where RocksDB will find the file wanting, too, and say so.
class TableEnd {
 public:
  TableEnd(const FSRandomAccessFile& file, uint64_t size) : file_(file), size_(size) {}

  std::optional<std::string> read(const Place& place) const {
    if (place.offset > size_ || place.size > size_ - place.offset) {
      return std::nullopt;
    }
    std::string room(place.size, '\0');
    rocksdb::Slice read;
    const IOStatus status =
        file_.Read(place.offset, place.size, IOOptions(), &read, room.data(), nullptr);
    if (!status.ok() || read.size() != place.size) {
      return std::nullopt;
    }
    return read.ToString();
  }

  std::optional<std::string> read_footer() const {
    return size_ < kFooterSize ? std::nullopt
                               : read({.offset = size_ - kFooterSize, .size = kFooterSize});
  }

 private:
  const FSRandomAccessFile& file_;
  uint64_t size_;
};

bool claims_hash_index(const TableEnd& table) {
  const auto footer = table.read_footer();
  const auto metaindex = footer ? metaindex_place(*footer) : std::nullopt;
  const auto names = metaindex ? table.read(*metaindex) : std::nullopt;
  const auto properties = names ? properties_place(*names) : std::nullopt;
  const auto block = properties ? table.read(*properties) : std::nullopt;
  return block && (static_cast<uint8_t>(block->back()) & 0x80U) != 0;
}

}  // namespace

IOStatus TableFileSystem::NewRandomAccessFile(const std::string& path,
                                              const rocksdb::FileOptions& options,
                                              std::unique_ptr<FSRandomAccessFile>* result,
                                              rocksdb::IODebugContext* debug) {
  IOStatus status = target()->NewRandomAccessFile(path, options, result, debug);
  if (!status.ok() || !path.ends_with(".sst")) {
    return status;
  }
  uint64_t size = 0;
  const IOStatus measured = target()->GetFileSize(path, options.io_options, &size, debug);
  if (measured.ok() && claims_hash_index(TableEnd(**result, size))) {
    result->reset();
    return IOStatus::Corruption("the block of properties of a table file is damaged", path);
  }
  return status;
}

rocksdb::Env* table_env() {
  static const std::unique_ptr<rocksdb::Env> kEnv =
      rocksdb::NewCompositeEnv(std::make_shared<TableFileSystem>());
  return kEnv.get();
}

}  // namespace store
