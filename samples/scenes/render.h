// SPDX-License-Identifier: MIT
// Pictures of scenes: a ray-caster on the CPU with one light, shadows, and a uniform grid over the bodies.
// Cost: bodies once for the grid, then a short walk through it for each ray; 10,000 bodies at 960 x 640 take a second.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "raycast.h"
#include "scene.h"

namespace talus::scenes {

struct Image {
  int width = 0, height = 0;      ///< [pixels]
  std::vector<std::uint8_t> rgb;  ///< 3 bytes a pixel, rows from above

  const std::uint8_t* pixel(int x, int y) const {
    return rgb.data() +
           3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

/// A body as the renderer sees it.
struct RenderBody {
  ShapeType type = ShapeType::sphere;
  Vecf size{};  ///< as ShapeDef::size
  Vecf position{};
  Rotation<float> orientation{0.0f, 0.0f, 0.0f, 1.0f};
  std::uint32_t slot = 0;  ///< gives the colour
  bool ground = false;     ///< floor or wall: grey squares
};
RenderBody render_body(const ShapeDef& shape, const Transform& pose, std::uint32_t slot, bool ground);

/// All bodies of a scene where they are now. Walls between the bodies and the scene's camera are left out.
std::vector<RenderBody> render_bodies(RunningScene& running);

/// A camera that looks at the middle of all bodies but the ground, from the direction given, and has them in view. Of
/// many bodies the outermost half per cent on each side may be left out, so that one stray body does not shrink the
/// rest.
Camera frame_bodies(std::span<const RenderBody> bodies, Vec3 view_from, int width, int height);

/// The picture. `samples` rays a pixel in each direction, 1..8; bodies with NaN or infinite poses are left out.
Image render(std::span<const RenderBody> bodies, const Camera& camera, int samples = 1);

}  // namespace talus::scenes
