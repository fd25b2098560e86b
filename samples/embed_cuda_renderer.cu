// SPDX-License-Identifier: MIT
// embed_cuda_renderer [WIDTH HEIGHT FILE.png]: a kernel of the caller's draws the bodies straight from the solver's
// device memory, on the solver's stream: the state is never copied to the host, only the finished image is. Then the
// CPU renderer draws the same scene; returns 1 if more than 1 % of the pixels differ by more than one grey level.
#include <cuda_runtime.h>
#include <talus/talus.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scenes/png.h"
#include "scenes/raycast.h"
#include "scenes/render.h"

namespace scenes = talus::scenes;

// The world's columns as what scenes::trace() asks for.
struct DeviceBodies {
  talus::DeviceView view;

  TALUS_HD scenes::SurfaceHit nearest(const scenes::Ray& ray) const {
    scenes::SurfaceHit best;
    for (talus::Index row = 0; row < view.row_count; ++row) {
      if (view.alive[row] == 0) continue;
      const auto type = static_cast<talus::ShapeType>(view.shape[row]);
      const scenes::RayHit hit =
          scenes::cast_shape(ray, type, scenes::vec<float>(view.shape_size[row]),
                             scenes::vec<float>(view.position[row]), scenes::rotation<float>(view.orientation[row]));
      if (hit.distance < best.hit.distance) best = {hit, std::uint32_t(row), type == talus::ShapeType::plane};
    }
    return best;
  }
  TALUS_HD bool covers(const scenes::Ray& ray) const { return nearest(ray).hit.distance != scenes::kNoHit; }
};

__global__ void draw(DeviceBodies bodies, scenes::Camera camera, std::uint8_t* rgb) {
  const int pixel = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (pixel >= camera.width * camera.height) return;
  const int x = pixel % camera.width, y = pixel / camera.width;
  const scenes::Vecf color = scenes::trace(scenes::camera_ray(camera, float(x) + 0.5f, float(y) + 0.5f), bodies);
  rgb[3 * pixel] = scenes::to_byte(color.x);
  rgb[3 * pixel + 1] = scenes::to_byte(color.y);
  rgb[3 * pixel + 2] = scenes::to_byte(color.z);
}

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

static std::vector<scenes::RenderBody> host_bodies(talus::World& world) {
  std::vector<scenes::RenderBody> bodies;
  for (const talus::BodyId id : world.bodies()) {
    const talus::BodyDef def = world.definition(id);
    const bool ground = def.shape.type == talus::ShapeType::plane;
    bodies.push_back(scenes::render_body(def.shape, {def.position, def.orientation}, id.slot, ground));
  }
  return bodies;
}

int main(int argc, char** argv) {
  const int width = argc > 2 ? std::atoi(argv[1]) : 64, height = argc > 2 ? std::atoi(argv[2]) : 48;
  talus::World world(talus::WorldDef{.backend = talus::Backend::cuda});
  world.add_body({.shape = talus::plane({0, 1, 0})});
  const talus::ShapeDef shapes[] = {talus::sphere(0.5f), talus::box({0.5f, 0.4f, 0.6f}), talus::capsule(0.3f, 0.4f)};
  for (int i = 0; i < 27; ++i) {
    const talus::Vec3 place{float(i % 3) * 1.2f - 1.2f, 0.7f + float(i / 9) * 1.3f, float(i / 3 % 3) * 1.2f - 1.2f};
    world.add_body({.shape = shapes[i % 3], .position = place, .angular_velocity = {0, 1, float(i % 2)}});
  }
  const scenes::Camera camera = scenes::frame_bodies(host_bodies(world), {0.5f, 0.4f, 0.8f}, width, height);

  for (int step = 0; step < 30; ++step) world.step_async(1.0f / 60);  // queued, not waited for
  const auto stream = static_cast<cudaStream_t>(world.stream());
  scenes::Image image{width, height, std::vector<std::uint8_t>(std::size_t(3) * width * height)};
  std::uint8_t* rgb = nullptr;
  check(cudaMallocAsync(&rgb, image.rgb.size(), stream), "cudaMallocAsync");
  draw<<<(width * height + 127) / 128, 128, 0, stream>>>(DeviceBodies{world.device_view()}, camera, rgb);
  check(cudaGetLastError(), "draw");
  check(cudaMemcpyAsync(image.rgb.data(), rgb, image.rgb.size(), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  check(cudaFreeAsync(rgb, stream), "cudaFreeAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  if (argc > 3) scenes::write_png(argv[3], image);

  const scenes::Image expected = scenes::render(host_bodies(world), camera);
  int different = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    bool near = true;
    for (std::size_t c = i; c < i + 3; ++c) near = near && std::abs(int(image.rgb[c]) - int(expected.rgb[c])) <= 1;
    if (!near) ++different;
  }
  std::printf("%d of %d pixels differ from the CPU renderer\n", different, width * height);
  return 100 * different <= width * height ? 0 : 1;
}
