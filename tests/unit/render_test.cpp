// SPDX-License-Identifier: MIT
// Rays against closed forms, pictures against solid angles and against a renderer without a grid, and PNG files.
#include "scenes/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "scenes/png.h"
#include "scenes/raycast.h"

namespace talus::scenes {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr Rotation<float> kUpright{0.0f, 0.0f, 0.0f, 1.0f};

Rotation<float> turned(Vecf unit_axis, float angle) {
  const float s = std::sin(angle / 2);
  return {s * unit_axis.x, s * unit_axis.y, s * unit_axis.z, std::cos(angle / 2)};
}
Ray along_x(float y, float z) {
  return {{-10.0f, y, z}, {1.0f, 0.0f, 0.0f}};
}
void expect_hit(const RayHit& hit, float distance, Vecf normal) {
  EXPECT_NEAR(hit.distance, distance, 2e-5f);
  EXPECT_NEAR(hit.normal.x, normal.x, 1e-5f);
  EXPECT_NEAR(hit.normal.y, normal.y, 1e-5f);
  EXPECT_NEAR(hit.normal.z, normal.z, 1e-5f);
}
void expect_miss(const RayHit& hit) {
  EXPECT_EQ(hit.distance, kNoHit);
}

TEST(Raycast, Sphere) {
  expect_hit(cast_sphere(along_x(0.0f, 0.0f), {0, 0, 0}, 0.5f), 9.5f, {-1, 0, 0});
  expect_hit(cast_sphere(along_x(0.3f, 0.0f), {0, 0, 0}, 0.5f), 9.6f, {-0.8f, 0.6f, 0});
  expect_miss(cast_sphere(along_x(0.51f, 0.0f), {0, 0, 0}, 0.5f));
  expect_miss(cast_sphere({{0, 0, 0}, {1, 0, 0}}, {0, 0, 0}, 0.5f));  // from inside
  expect_miss(cast_sphere(along_x(0.0f, 0.0f), {-20, 0, 0}, 0.5f));   // behind
}

TEST(Raycast, BoxFaceDepth) {
  expect_hit(cast_box(along_x(0.5f, 0.5f), {0, 0, 0}, kUpright, {1, 2, 3}), 9.0f, {-1, 0, 0});
  expect_hit(cast_box({{0, 10, 0}, {0, -1, 0}}, {0.5f, 0, 0}, kUpright, {1, 2, 3}), 8.0f, {0, 1, 0});
  expect_miss(cast_box(along_x(2.01f, 0.0f), {0, 0, 0}, kUpright, {1, 2, 3}));
  expect_miss(cast_box({{0, 0, 0}, {1, 0, 0}}, {0, 0, 0}, kUpright, {1, 2, 3}));
}

TEST(Raycast, TurnedBoxShowsItsEdge) {
  const Rotation<float> eighth = turned({0, 0, 1}, kPi / 4);
  const RayHit hit = cast_box(along_x(0.1f, 0.0f), {0, 0, 0}, eighth, {1, 1, 1});
  const float half = std::sqrt(0.5f);
  expect_hit(hit, 10.0f - std::sqrt(2.0f) + 0.1f, {-half, half, 0});
}

TEST(Raycast, CapsuleSideCapsAndEnds) {
  expect_hit(cast_capsule(along_x(0.9f, 0.0f), {0, 0, 0}, kUpright, 0.5f, 1.0f), 9.5f, {-1, 0, 0});
  expect_hit(cast_capsule(along_x(1.3f, 0.0f), {0, 0, 0}, kUpright, 0.5f, 1.0f), 9.6f, {-0.8f, 0.6f, 0});
  expect_hit(cast_capsule(along_x(-1.3f, 0.0f), {0, 0, 0}, kUpright, 0.5f, 1.0f), 9.6f, {-0.8f, -0.6f, 0});
  expect_hit(cast_capsule({{0, 10, 0}, {0, -1, 0}}, {0, 0, 0}, kUpright, 0.5f, 1.0f), 8.5f, {0, 1, 0});
  expect_hit(cast_capsule({{0.3f, -10, 0}, {0, 1, 0}}, {0, 0, 0}, kUpright, 0.5f, 1.0f), 8.6f, {0.6f, -0.8f, 0});
  expect_miss(cast_capsule(along_x(1.51f, 0.0f), {0, 0, 0}, kUpright, 0.5f, 1.0f));
  expect_miss(cast_capsule(along_x(0.0f, 0.51f), {0, 0, 0}, kUpright, 0.5f, 1.0f));
  expect_miss(cast_capsule({{0, 0.5f, 0}, {1, 0, 0}}, {0, 0, 0}, kUpright, 0.5f, 1.0f));
}

TEST(Raycast, LyingCapsule) {
  const Rotation<float> lying = turned({0, 0, 1}, -kPi / 2);  // its axis along x
  expect_hit(cast_capsule(along_x(0.3f, 0.0f), {0, 0, 0}, lying, 0.5f, 1.0f), 10.0f - 1.4f, {-0.8f, 0.6f, 0});
}

TEST(Raycast, CapsuleEqualsSphereOrCylinderForRandomRays) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> unit(-1.0f, 1.0f);
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vecf origin = 3.0f * normalized(Vecf{unit(random), unit(random), unit(random)});
    const Ray ray{origin, normalized(Vecf{unit(random), unit(random), unit(random)} - origin)};
    const RayHit hit = cast_capsule(ray, {0, 0, 0}, kUpright, 0.4f, 0.7f);
    if (hit.distance == kNoHit) continue;
    ++hits;
    const Vecf point = ray.origin + hit.distance * ray.direction;
    const float y = std::fmin(0.7f, std::fmax(-0.7f, point.y));  // of the nearest point of the axis
    EXPECT_NEAR(length(point - Vecf{0, y, 0}), 0.4f, 1e-4f);
    EXPECT_LT(dot(hit.normal, ray.direction), 1e-3f);
  }
  EXPECT_GT(hits, 5000);
}

TEST(Raycast, PlaneFromItsFrontOnly) {
  const Vecf up{0, 1, 0};
  const Vecf slanted = normalized(Vecf{3, -4, 0});
  expect_hit(cast_plane({{0, 4, 0}, slanted}, {7, 0, 0}, up), 5.0f, up);
  expect_miss(cast_plane({{0, -4, 0}, -slanted}, {7, 0, 0}, up));
  expect_miss(cast_plane({{0, 4, 0}, {1, 0, 0}}, {7, 0, 0}, up));
  const RayHit turned_hit = cast_shape(along_x(0, 0), ShapeType::plane, up, {2, 0, 0}, turned({0, 0, 1}, kPi / 2));
  expect_hit(turned_hit, 12.0f, {-1, 0, 0});
}

// ---- pictures ------------------------------------------------------------------------------------------------------

RenderBody ball(Vecf position, float radius, std::uint32_t slot = 0) {
  RenderBody body;
  body.size = {radius, 0, 0};
  body.position = position;
  body.slot = slot;
  return body;
}
RenderBody floor_plane() {
  RenderBody body;
  body.type = ShapeType::plane;
  body.size = {0, 1, 0};
  body.ground = true;
  return body;
}
Camera camera_on_z(int width, int height) {
  return {{0, 0, 10}, {0, 0, -1}, {1, 0, 0}, {0, 1, 0}, 0.25f, width, height};
}
double different_share(const Image& a, const Image& b) {
  int different = 0;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) {
      const std::uint8_t *p = a.pixel(x, y), *q = b.pixel(x, y);
      if (p[0] != q[0] || p[1] != q[1] || p[2] != q[2]) ++different;
    }
  }
  return double(different) / (double(a.width) * double(a.height));
}

TEST(Render, ASphereCoversItsShareOfTheImage) {
  const Camera camera = camera_on_z(300, 200);
  const std::vector<RenderBody> one{ball({0, 0, 0}, 1.5f)};
  const double radius = 1.5 / std::sqrt(100 - 1.5 * 1.5);  // of the outline, on a screen at a distance of 1 m
  const double expected = std::numbers::pi * radius * radius / (0.5 * 0.75);
  EXPECT_NEAR(different_share(render(one, camera), render({}, camera)), expected, 0.01 * expected);
}

TEST(Render, ASphereThrowsAShadowAwayFromTheLight) {
  Camera camera{};
  camera.eye = {0, 20, 0};
  camera.forward = {0, -1, 0};
  camera.right = {1, 0, 0};
  camera.up = {0, 0, -1};
  camera.half_height = 0.25f;  // 5 m from the middle to the edge, on the floor
  camera.width = camera.height = 101;
  const std::vector<RenderBody> bodies{floor_plane(), ball({0, 2, 0}, 0.5f)};
  const Image image = render(bodies, camera);
  const auto grey_at = [&](float x, float z) {
    return int(image.pixel(int(std::lround(50 + 10 * x)), int(std::lround(50 + 10 * z)))[0]);
  };
  EXPECT_LT(grey_at(-1, -1), grey_at(1, 1) - 40);  // the light comes from x = z = y / 2
  EXPECT_NEAR(grey_at(1, -1), grey_at(1, 1), 20);  // light and dark squares
}

// trace() without a grid.
struct AllBodies {
  std::vector<RenderBody> bodies;

  SurfaceHit nearest(const Ray& ray) const {
    SurfaceHit best;
    for (const RenderBody& body : bodies) {
      const RayHit hit = cast_shape(ray, body.type, body.size, body.position, body.orientation);
      if (hit.distance < best.hit.distance) best = {hit, body.slot, body.ground};
    }
    return best;
  }
  bool covers(const Ray& ray) const { return nearest(ray).hit.distance != kNoHit; }
};

std::vector<RenderBody> random_bodies(int count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(-1.0f, 1.0f);
  std::vector<RenderBody> bodies{floor_plane()};
  for (int i = 0; i < count; ++i) {
    const float r = 0.2f + 0.1f * unit(random);
    const Vecf sizes[] = {{r, 0, 0}, {r, 2 * r, r / 2}, {r, r, 0}};
    RenderBody body;
    body.type = static_cast<ShapeType>(i % 3);
    body.size = sizes[i % 3];
    body.position = {3 * unit(random), 2 + 2 * unit(random), 4 * unit(random)};
    body.orientation = turned(normalized(Vecf{unit(random), unit(random), unit(random)}), kPi * unit(random));
    body.slot = static_cast<std::uint32_t>(i + 1);
    bodies.push_back(body);
  }
  return bodies;
}

TEST(Render, TheGridFindsWhatASearchOfAllBodiesFinds) {
  for (const int count : {1, 2, 33, 300}) {
    const AllBodies all{random_bodies(count)};
    const Camera camera = frame_bodies(all.bodies, {0.5f, 0.4f, 0.8f}, 90, 60);
    const Image image = render(all.bodies, camera);
    for (int y = 0; y < camera.height; ++y) {
      for (int x = 0; x < camera.width; ++x) {
        const Vecf color = trace(camera_ray(camera, float(x) + 0.5f, float(y) + 0.5f), all);
        EXPECT_EQ(int(image.pixel(x, y)[0]), int(to_byte(color.x))) << x << ' ' << y << " of " << count;
      }
    }
  }
}

TEST(Render, TheCameraHasAllBodiesInView) {
  const std::vector<RenderBody> bodies = random_bodies(100);
  for (const Vec3 view : {Vec3{0.5f, 0.4f, 0.8f}, Vec3{-1, 0.1f, 0}, Vec3{0.1f, 3, 0}}) {
    const Camera camera = frame_bodies(bodies, view, 90, 60);
    for (const RenderBody& body : bodies) {
      if (body.ground) continue;
      const Vecf offset = body.position - camera.eye;
      const float depth = dot(offset, camera.forward);
      EXPECT_GT(depth, 0.0f);
      EXPECT_LT(std::fabs(dot(offset, camera.up)) / depth, camera.half_height);
      EXPECT_LT(std::fabs(dot(offset, camera.right)) / depth, camera.half_height * 1.5f);
    }
  }
}

TEST(Render, LeavesOutBodiesThatAreNotFinite) {
  std::vector<RenderBody> bodies{ball({0, 0, 0}, 1.0f)};
  const Camera camera = camera_on_z(30, 20);
  const Image before = render(bodies, camera);
  bodies.push_back(ball({std::numeric_limits<float>::quiet_NaN(), 0, 0}, 1.0f));
  EXPECT_EQ(different_share(before, render(bodies, camera)), 0);
}

TEST(Render, RefusesWhatItCannotDraw) {
  EXPECT_THROW(render({}, camera_on_z(0, 10)), Error);
  EXPECT_THROW(render({}, camera_on_z(10, 10), 0), Error);
}

// ---- files ---------------------------------------------------------------------------------------------------------

TEST(Png, ComesBackAsItWasWritten) {
  Image image{7, 5, {}};
  for (int i = 0; i < 7 * 5 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * 37));
  const std::string path = (std::filesystem::path(testing::TempDir()) / "talus_round_trip.png").string();
  write_png(path, image);
  const Image back = read_png(path);
  EXPECT_EQ(back.width, 7);
  EXPECT_EQ(back.height, 5);
  EXPECT_EQ(back.rgb, image.rgb);
  std::filesystem::remove(path);
}

TEST(Png, ErrorsNameTheFile) {
  const auto error_of = [](auto&& action) {
    try {
      action();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Image pixel{1, 1, {1, 2, 3}};
  EXPECT_NE(error_of([&] { write_png("/no/such/folder/a.png", pixel); }).find("/no/such/folder/a.png"),
            std::string::npos);
  EXPECT_NE(error_of([] { read_png("/no/such/file.png"); }).find("/no/such/file.png"), std::string::npos);
}

}  // namespace
}  // namespace talus::scenes
