// SPDX-License-Identifier: MIT
// Rays against shapes, and what a ray sees. Plain functions in float for host and device: the CPU renderer (render.h)
// and the sample embed_cuda_renderer share every line, so that their pictures agree.
// Rays have unit directions. A ray that starts inside a shape does not hit it; planes are hit from their front only.
#pragma once
#include <talus/defs.h>

#include <cmath>
#include <cstdint>

#include "vec.h"

namespace talus::scenes {

struct Ray {
  Vecf origin;
  Vecf direction;  // unit
};

constexpr float kNoHit = 1e30f;     // [m] distance of a ray that hits nothing
constexpr float kRayStart = 1e-4f;  // [m] hits nearer than this are the surface the ray starts on

struct RayHit {
  float distance = kNoHit;        // [m]
  Vecf normal{0.0f, 0.0f, 0.0f};  // unit, towards the ray's origin
};

// ---- one ray, one shape --------------------------------------------------------------------------------------------

TALUS_HD inline RayHit cast_sphere(const Ray& ray, Vecf centre, float radius) {
  const Vecf from = ray.origin - centre;
  const float along = dot(from, ray.direction);
  const Vecf across = from - along * ray.direction;  // where the ray passes the centre: no loss of digits from afar
  const float inside = radius * radius - dot(across, across);
  if (inside < 0.0f) return {};
  const float distance = -along - std::sqrt(inside);
  if (distance < kRayStart) return {};
  return {distance, (1.0f / radius) * (from + distance * ray.direction)};
}

/// One axis of cast_box: narrows [enter, leave] to the slab |x| <= half; false if nothing is left.
TALUS_HD inline bool cut_slab(float origin, float direction, float half, Vecf face, float& enter, float& leave,
                              Vecf& normal) {
  if (std::fabs(direction) < 1e-12f) return std::fabs(origin) <= half;
  const float inverse = 1.0f / direction;
  const float side = direction > 0.0f ? 1.0f : -1.0f;
  const float first = (-side * half - origin) * inverse, last = (side * half - origin) * inverse;
  if (first > enter) {
    enter = first;
    normal = -side * face;
  }
  if (last < leave) leave = last;
  return enter <= leave;
}

TALUS_HD inline RayHit cast_box(const Ray& ray, Vecf position, Rotation<float> orientation, Vecf half) {
  const Vecf o = rotate_back(orientation, ray.origin - position), d = rotate_back(orientation, ray.direction);
  float enter = -kNoHit, leave = kNoHit;
  Vecf normal{0.0f, 0.0f, 0.0f};
  const bool hit = cut_slab(o.x, d.x, half.x, {1.0f, 0.0f, 0.0f}, enter, leave, normal) &&
                   cut_slab(o.y, d.y, half.y, {0.0f, 1.0f, 0.0f}, enter, leave, normal) &&
                   cut_slab(o.z, d.z, half.z, {0.0f, 0.0f, 1.0f}, enter, leave, normal);
  if (!hit || enter < kRayStart) return {};
  return {enter, rotate(orientation, normal)};
}

TALUS_HD inline RayHit cast_capsule(const Ray& ray, Vecf position, Rotation<float> orientation, float radius,
                                    float half_length) {
  const Vecf o = rotate_back(orientation, ray.origin - position), d = rotate_back(orientation, ray.direction);
  const float across = d.x * d.x + d.z * d.z;
  float end = d.y > 0.0f ? -half_length : half_length;  // of the axis; its ball is hit if the side is not
  if (across > 1e-12f) {
    const float middle = -(o.x * d.x + o.z * d.z) / across;  // where the ray passes the axis
    const float x = o.x + middle * d.x, z = o.z + middle * d.z;
    const float inside = radius * radius - (x * x + z * z);
    if (inside < 0.0f) return {};
    const float distance = middle - std::sqrt(inside / across);
    const float y = o.y + distance * d.y;
    if (y >= -half_length && y <= half_length) {
      if (distance < kRayStart) return {};
      const Vecf normal{(o.x + distance * d.x) / radius, 0.0f, (o.z + distance * d.z) / radius};
      return {distance, rotate(orientation, normal)};
    }
    end = y > 0.0f ? half_length : -half_length;
  }
  const RayHit hit = cast_sphere({o, d}, {0.0f, end, 0.0f}, radius);
  if (hit.distance == kNoHit) return {};
  return {hit.distance, rotate(orientation, hit.normal)};
}

TALUS_HD inline RayHit cast_plane(const Ray& ray, Vecf point, Vecf normal) {
  const float approach = dot(normal, ray.direction);
  if (approach > -1e-6f) return {};
  const float distance = dot(normal, point - ray.origin) / approach;
  if (distance < kRayStart) return {};
  return {distance, normal};
}

/// Any shape; `size` is that of ShapeDef.
TALUS_HD inline RayHit cast_shape(const Ray& ray, ShapeType type, Vecf size, Vecf position,
                                  Rotation<float> orientation) {
  switch (type) {
    case ShapeType::sphere:
      return cast_sphere(ray, position, size.x);
    case ShapeType::box:
      return cast_box(ray, position, orientation, size);
    case ShapeType::capsule:
      return cast_capsule(ray, position, orientation, size.x, size.y);
    case ShapeType::plane:
      return cast_plane(ray, position, rotate(orientation, size));
  }
  return {};
}

// ---- camera --------------------------------------------------------------------------------------------------------

struct Camera {
  Vecf eye;                 // [m]
  Vecf forward, right, up;  // unit, at right angles
  float half_height;        // tangent of half the vertical field of view
  int width, height;        // [pixels]
};

/// The ray through a point of the image, in pixels from the upper left corner; the first pixel's centre is 0.5, 0.5.
TALUS_HD inline Ray camera_ray(const Camera& camera, float x, float y) {
  const float scale = 2.0f * camera.half_height / float(camera.height);
  const float across = (x - 0.5f * float(camera.width)) * scale, upward = (0.5f * float(camera.height) - y) * scale;
  return {camera.eye, normalized(camera.forward + across * camera.right + upward * camera.up)};
}

// ---- light and colour ----------------------------------------------------------------------------------------------

/// Where the light comes from: a unit vector from the scene towards it.
TALUS_HD inline Vecf light_direction() {
  return {0.4082483f, 0.8164966f, 0.4082483f};
}

TALUS_HD inline Vecf mix(Vecf a, Vecf b, float t) {
  return a + t * (b - a);
}

/// Linear colour of the sky, brighter at the horizon.
TALUS_HD inline Vecf sky_color(Vecf direction) {
  const float height = direction.y > 0.0f ? direction.y : 0.0f;
  return mix({0.72f, 0.78f, 0.85f}, {0.16f, 0.32f, 0.62f}, std::sqrt(height));
}

/// Linear colour of a body: a hue by the hash of its slot.
TALUS_HD inline Vecf body_color(std::uint32_t slot) {
  std::uint32_t hash = (slot + 1u) * 0x9e3779b9u;  // golden ratio: neighbours get hues far apart
  hash ^= hash >> 15u;
  hash *= 0x85ebca6bu;
  const float hue = 6.0f * float(hash >> 8u) / 16777216.0f;  // 0..6 around the circle
  const float r = std::fabs(hue - 3.0f) - 1.0f, g = 2.0f - std::fabs(hue - 2.0f), b = 2.0f - std::fabs(hue - 4.0f);
  const Vecf pure{r < 0.0f ? 0.0f : (r > 1.0f ? 1.0f : r), g < 0.0f ? 0.0f : (g > 1.0f ? 1.0f : g),
                  b < 0.0f ? 0.0f : (b > 1.0f ? 1.0f : b)};
  return mix({0.55f, 0.55f, 0.55f}, pure, 0.6f);
}

/// Linear colour of floors and walls: squares of 1 m, which fade into one grey with the distance.
TALUS_HD inline Vecf ground_color(Vecf point, Vecf normal, float distance) {
  if (std::fabs(normal.y) < 0.5f) return {0.38f, 0.38f, 0.40f};
  const float squares = std::floor(point.x) + std::floor(point.z);
  const float odd = squares - 2.0f * std::floor(0.5f * squares);  // 0 or 1
  const float contrast = 0.08f / (1.0f + distance * distance * 4e-4f);
  const float grey = 0.36f + contrast * (odd - 0.5f);
  return {grey, grey, grey};
}

/// What a ray has found.
struct SurfaceHit {
  RayHit hit;
  std::uint32_t slot = 0;
  bool ground = false;
};

/// Linear colour that a ray brings back. `Bodies` has nearest(ray) -> SurfaceHit and covers(ray) -> bool, which tells
/// whether anything lies in the way of the light.
template <class Bodies>
TALUS_HD inline Vecf trace(const Ray& ray, const Bodies& bodies) {
  const SurfaceHit found = bodies.nearest(ray);
  const float distance = found.hit.distance;
  if (distance == kNoHit) return sky_color(ray.direction);
  const Vecf normal = found.hit.normal, point = ray.origin + distance * ray.direction;
  const Vecf color = found.ground ? ground_color(point, normal, distance) : body_color(found.slot);
  const float facing = dot(normal, light_direction());
  const Ray to_light{point + 1e-3f * normal, light_direction()};
  const float sun = facing > 0.0f && !bodies.covers(to_light) ? facing : 0.0f;
  const float ambient = 0.30f + 0.12f * normal.y;  // more from above than from below
  const float haze = distance / (distance + 2000.0f);
  return mix((ambient + 0.85f * sun) * color, sky_color({0.0f, 0.0f, 0.0f}), haze);
}

/// One channel as stored: gamma 2, 8 bits.
TALUS_HD inline std::uint8_t to_byte(float linear) {
  const float clamped = linear < 0.0f ? 0.0f : (linear > 1.0f ? 1.0f : linear);
  return static_cast<std::uint8_t>(std::lround(255.0f * std::sqrt(clamped)));
}

}  // namespace talus::scenes
