// SPDX-License-Identifier: MIT
#include "output.h"

#include <fcntl.h>
#include <talus/status.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <system_error>

namespace talus::cli {
namespace {

bool is_closed(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF;
}

}  // namespace

void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  const bool no_output = is_closed(STDOUT_FILENO);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (is_closed(descriptor)) (void)::open("/dev/null", O_RDWR);  // takes the lowest number that is free: this one
  }
  if (no_output) throw Error("standard output is closed");
}

void flush_output() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return;
  throw Error(std::string("standard output: cannot be written") +
              (reason != 0 ? std::string(" (") + std::strerror(reason) + ")" : ""));
}

void require_writable(const std::filesystem::path& file) {
  std::error_code unknown;
  const bool existed = std::filesystem::exists(std::filesystem::symlink_status(file, unknown));
  errno = 0;
  std::FILE* const opened = std::fopen(file.c_str(), "ab");  // changes nothing in a file that is there
  if (opened == nullptr) throw Error("\"" + file.string() + "\": cannot be written (" + std::strerror(errno) + ")");
  std::fclose(opened);
  if (!existed) std::filesystem::remove(file, unknown);
}

}  // namespace talus::cli
