// SPDX-License-Identifier: MIT
#include "png.h"

#include <png.h>

namespace talus::scenes {
namespace {

// libpng's simplified interface keeps what it allocated here until it is freed.
struct PngImage {
  png_image value{};

  PngImage() {
    value.version = PNG_IMAGE_VERSION;
    value.format = PNG_FORMAT_RGB;
  }
  ~PngImage() { png_image_free(&value); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;

  [[noreturn]] void fail(const std::string& path) const { throw Error("\"" + path + "\": " + value.message); }
};

}  // namespace

void write_png(const std::string& path, const Image& image) {
  PngImage png;
  png.value.width = static_cast<png_uint_32>(image.width);
  png.value.height = static_cast<png_uint_32>(image.height);
  if (png_image_write_to_file(&png.value, path.c_str(), 0, image.rgb.data(), 0, nullptr) == 0) png.fail(path);
}

Image read_png(const std::string& path) {
  PngImage png;
  if (png_image_begin_read_from_file(&png.value, path.c_str()) == 0) png.fail(path);
  png.value.format = PNG_FORMAT_RGB;
  Image image{static_cast<int>(png.value.width), static_cast<int>(png.value.height), {}};
  image.rgb.resize(PNG_IMAGE_SIZE(png.value));
  if (png_image_finish_read(&png.value, nullptr, image.rgb.data(), 0, nullptr) == 0) png.fail(path);
  return image;
}

}  // namespace talus::scenes
