// SPDX-License-Identifier: MIT
// talus run: simulates a scene, then sums up where the time went and how good the result is.
#include <talus/talus.h>

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "output.h"
#include "progress.h"
#include "scenes/metrics.h"
#include "scenes/png.h"
#include "scenes/render.h"
#include "table.h"

namespace talus::cli {
namespace {

constexpr int kImageWidth = 960, kImageHeight = 640, kImageSamples = 2;

const char* shape_name(ShapeType type) {
  switch (type) {
    case ShapeType::sphere:
      return "sphere";
    case ShapeType::box:
      return "box";
    case ShapeType::capsule:
      return "capsule";
    case ShapeType::plane:
      return "plane";
  }
  return "";
}

struct Totals {
  std::array<double, kStageCount> stage_ms{};
  double wall_ms = 0;
  int steps = 0;
};

void print_stages(const Totals& totals) {
  Table table({"stage", "ms/step", "share"});
  double sum = 0;
  for (const double ms : totals.stage_ms) sum += ms;
  if (sum > 0) {
    for (int stage = 0; stage < kStageCount; ++stage) {
      const double ms = totals.stage_ms[static_cast<std::size_t>(stage)];
      table.add({stage_name(static_cast<Stage>(stage)), fixed(ms / totals.steps, 3), fixed(100 * ms / sum, 1) + " %"});
    }
  }
  table.add({"step", fixed(totals.wall_ms / totals.steps, 3), ""});
  table.print(stdout);
}

void print_result(const StepReport& report, const scenes::Scene& scene, const scenes::Metrics& metrics) {
  Table table({"result", "value"});
  table.add({"contacts", std::to_string(report.contact_count)});
  table.add({"contact points", std::to_string(report.point_count)});
  table.add({"colors", std::to_string(report.color_count)});
  table.add({"touching pairs", std::to_string(metrics.touching)});
  table.add({"penetration, max", fixed(1e3 * metrics.pen_max, 2) + " mm"});
  table.add({"penetration, mean", fixed(1e3 * metrics.pen_mean, 3) + " mm"});
  table.add({"kinetic energy per body", general(metrics.ke_per_body, 3) + " J"});
  table.add({"fastest body", general(metrics.vmax, 3) + " m/s"});
  if (!scene.joints.empty()) {
    table.add({"joint error, max", fixed(1e3 * metrics.joint_max, 2) + " mm"});
    table.add({"joint error, mean", fixed(1e3 * metrics.joint_mean, 3) + " mm"});
  }
  table.add({"escaped bodies", std::to_string(metrics.escaped)});
  table.print(stdout);
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void write_poses(const std::string& path, scenes::RunningScene& running) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "w"));
  if (file == nullptr) throw Error("\"" + path + "\": cannot be written");
  std::fputs("slot,shape,size_x,size_y,size_z,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n", file.get());
  const std::vector<BodyMotion> motions = running.motions();
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const ShapeDef& shape = running.scene().bodies[i].shape;
    const Vec3 size = shape.size, p = motions[i].pose.position, v = motions[i].linear_velocity,
               w = motions[i].angular_velocity;
    const Quat q = motions[i].pose.orientation;
    std::fprintf(file.get(), "%" PRIu32 ",%s", running.bodies()[i].slot, shape_name(shape.type));
    for (const float value :
         {size.x, size.y, size.z, p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z}) {
      std::fprintf(file.get(), ",%.9g", double(value));  // 9 digits: the same float when read again
    }
    std::fputc('\n', file.get());
  }
  const bool complete = std::fflush(file.get()) == 0 && std::ferror(file.get()) == 0;
  if (std::fclose(file.release()) != 0 || !complete) throw Error("\"" + path + "\": cannot be written to its end");
}

void write_image(const std::string& path, scenes::RunningScene& running) {
  const std::vector<scenes::RenderBody> bodies = scenes::render_bodies(running);
  const scenes::Camera camera = scenes::frame_bodies(bodies, running.scene().view_from, kImageWidth, kImageHeight);
  scenes::write_png(path, scenes::render(bodies, camera, kImageSamples));
}

}  // namespace

int run(const RunOptions& options) {
  for (const std::string& file : {options.out, options.image}) {
    if (!file.empty()) require_writable(file);
  }
  scenes::RunningScene running(scene_of(options), world_def_of(options), options.sleep);
  std::printf("%s\n", headline(options, running).c_str());
  flush_output();

  Totals totals;
  StepReport report;
  Progress progress(options.steps, stderr);
  for (int step = 1; step <= options.steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    report = running.step();
    totals.wall_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!report) throw Error("step " + std::to_string(step) + ": " + report.message());
    for (std::size_t stage = 0; stage < totals.stage_ms.size(); ++stage) {
      totals.stage_ms[stage] += double(report.stage_ms[stage]);
    }
    ++totals.steps;
    progress.update(step, report);
  }

  std::printf("\n");
  print_stages(totals);
  std::printf("\n");
  print_result(report, running.scene(), scenes::measure(running.scene(), running.motions()));
  if (!options.out.empty()) write_poses(options.out, running);
  if (!options.image.empty()) write_image(options.image, running);
  if (options.hash) std::printf("state_hash=%016" PRIx64 "\n", running.world().state_hash());
  return kDone;
}

}  // namespace talus::cli
