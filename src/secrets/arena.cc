#include "secrets/arena.h"

#include <openssl/crypto.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <new>

#include "base/check.h"

namespace secrets {

namespace {

size_t whole_pages(size_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

uint8_t* map_pages(size_t size) {
  void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    throw std::bad_alloc();
  }
  CHECK_EQ(madvise(pages, size, MADV_DONTDUMP), 0);
  // Refused beyond RLIMIT_MEMLOCK. Without it a page may reach the swap, which an operator who
  // minds encrypts; not starting at all would serve nobody.
  [[maybe_unused]] const int locked = mlock(pages, size);
  return static_cast<uint8_t*>(pages);
}

}  // namespace

Arena& Arena::instance() {
  static Arena arena;
  return arena;
}

size_t Arena::class_of(size_t size) {
  const size_t blocks = (size + kSmallestBlock - 1) / kSmallestBlock;
  return static_cast<size_t>(std::countr_zero(std::bit_ceil(blocks)));
}

void Arena::add_slab(size_t size_class) {
  const size_t block_bytes = kSmallestBlock << size_class;
  uint8_t* slab = map_pages(kSlabBytes);
  for (size_t offset = 0; offset < kSlabBytes; offset += block_bytes) {
    free_[size_class] = new (slab + offset) FreeBlock{free_[size_class]};
  }
}

uint8_t* Arena::allocate(size_t size) {
  CHECK_GT(size, 0U);
  if (size > kLargestBlock) {
    return map_pages(whole_pages(size));
  }
  const size_t size_class = class_of(size);
  const std::scoped_lock lock(mutex_);
  if (free_[size_class] == nullptr) {
    add_slab(size_class);
  }
  FreeBlock* block = free_[size_class];
  free_[size_class] = block->next;
  block->next = nullptr;
  return reinterpret_cast<uint8_t*>(block);
}

void Arena::release(uint8_t* block, size_t size) {
  OPENSSL_cleanse(block, size);
  if (size > kLargestBlock) {
    CHECK_EQ(munmap(block, whole_pages(size)), 0);
    return;
  }
  const size_t size_class = class_of(size);
  const std::scoped_lock lock(mutex_);
  free_[size_class] = new (block) FreeBlock{free_[size_class]};
}

}  // namespace secrets
