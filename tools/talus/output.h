// SPDX-License-Identifier: MIT
// Output that arrives, or an Error that says where it did not.
#pragma once
#include <filesystem>

namespace talus::cli {

/// Before anything else: what is written to a closed pipe becomes an error instead of a silent end of the program, and
/// no file that is opened later takes the place of a closed standard stream. Throws Error if standard output is closed.
void guard_standard_streams();

/// Brings all that was printed to standard output. Throws Error if some of it could not be written, now or before.
void flush_output();

/// Throws Error if a file of this name cannot be written: before a long run, not after it. Leaves everything as it was.
void require_writable(const std::filesystem::path& file);

}  // namespace talus::cli
