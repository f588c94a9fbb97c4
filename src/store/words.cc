#include "store/words.h"

namespace store {

std::string delivery_words(base::DeliveryId delivery) {
  const uint64_t index = delivery.value & (base::DeliveryId::kFanOutMax - 1);
  return "delivery " + std::to_string(delivery.sequence()) + "." + std::to_string(index);
}

std::string record_words(Family family, std::string_view key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string words = "table ";
  words += kFamilyNames[static_cast<size_t>(family)];
  words += ", key ";
  for (const char byte : key) {
    const auto bits = static_cast<uint8_t>(byte);
    words += kDigits[bits >> 4U];
    words += kDigits[bits & 0xfU];
  }
  return words;
}

}  // namespace store
