// Everything an operator can set, as the parts of the program take it. Each part owns its options
// and their defaults; what belongs to nobody else is declared here.
//
// Only plain values: nothing is opened or looked up. What must be read from files or the system
// (keys, certificates, this machine's addresses) is the server's to read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/options.h"
#include "delivery/intake.h"
#include "http/options.h"
#include "net/http_client.h"
#include "observe/log.h"
#include "store/engine.h"

namespace config {

struct RetentionSettings {
  base::Duration age = base::Duration::hours(30 * 24);
  uint64_t bytes = 0;  // 0: half of the disk, see retention_bytes()
  base::Duration interval = base::Duration::minutes(10);
};

struct KeySettings {
  std::string master_key_file;  // empty: master.key in the data directory
  // From one address; more wrong keys than this are not even looked at.
  uint32_t failed_tries_max = 10;
  base::Duration failed_tries_period = base::Duration::minutes(1);
};

// Of GET /v1/stream.
struct StreamSettings {
  uint32_t streams_max = 256;
  uint32_t per_tenant_max = 16;
  base::Duration heartbeat = base::Duration::seconds(15);
};

struct LogSettings {
  observe::Level level = observe::Level::kInfo;
  observe::LogFormat format = observe::LogFormat::kJson;
};

struct Settings {
  std::string file;  // the configuration file; empty: postrider.toml in the data directory
  bool is_dev = false;
  net::SocketAddress listen{.address = net::Address::v4(0x7F000001), .port = 8080};
  base::Duration drain_limit = base::Duration::seconds(30);

  LogSettings log;
  KeySettings keys;
  RetentionSettings retention;
  store::EngineOptions store{.directory = "postrider-data"};
  core::Options core;
  delivery::Intake::Options intake;
  http::ServerOptions http;
  StreamSettings stream;
  // Without `tls`; `proxy` is set if proxy_url is, and guard.own_addresses has only those that the
  // operator named.
  net::ClientOptions client;
  std::string proxy_url;  // secret: may hold a password
  std::string ca_file;    // trusted instead of the system's; empty: none
};

// The limit that holds, once the size of the disk is known.
uint64_t retention_bytes(const RetentionSettings& retention, uint64_t disk_bytes);

// What is wrong with values that are good each by itself; a sentence each, naming the settings.
// Fills in what is derived: client.proxy.
std::vector<std::string> complete(Settings& settings);

}  // namespace config
