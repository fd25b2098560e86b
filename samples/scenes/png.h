// SPDX-License-Identifier: MIT
// Images as PNG files, 8 bits a channel, without transparency.
#pragma once
#include <string>

#include "render.h"

namespace talus::scenes {

/// Throws Error, which names the file, if it cannot be written.
void write_png(const std::string& path, const Image& image);
/// Throws Error, which names the file, if it cannot be read.
Image read_png(const std::string& path);

}  // namespace talus::scenes
