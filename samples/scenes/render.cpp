// SPDX-License-Identifier: MIT
#include "render.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace talus::scenes {
namespace {

struct Bounds {
  Vecf low{std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
  Vecf high{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::lowest(),
            std::numeric_limits<float>::lowest()};

  void add(const Bounds& other) {
    low = {std::min(low.x, other.low.x), std::min(low.y, other.low.y), std::min(low.z, other.low.z)};
    high = {std::max(high.x, other.high.x), std::max(high.y, other.high.y), std::max(high.z, other.high.z)};
  }
};

// Half the size along the world's axes of a sphere, box or capsule.
Vecf half_extents(const RenderBody& body) {
  if (body.type == ShapeType::sphere) return {body.size.x, body.size.x, body.size.x};
  if (body.type == ShapeType::capsule) {
    const Vecf half = rotate(body.orientation, Vecf{0.0f, body.size.y, 0.0f});
    return {std::fabs(half.x) + body.size.x, std::fabs(half.y) + body.size.x, std::fabs(half.z) + body.size.x};
  }
  const Vecf x = rotate(body.orientation, Vecf{body.size.x, 0.0f, 0.0f});
  const Vecf y = rotate(body.orientation, Vecf{0.0f, body.size.y, 0.0f});
  const Vecf z = rotate(body.orientation, Vecf{0.0f, 0.0f, body.size.z});
  return {std::fabs(x.x) + std::fabs(y.x) + std::fabs(z.x), std::fabs(x.y) + std::fabs(y.y) + std::fabs(z.y),
          std::fabs(x.z) + std::fabs(y.z) + std::fabs(z.z)};
}

Bounds bounds_of(const RenderBody& body) {
  const Vecf half = half_extents(body);
  return {body.position - half, body.position + half};
}

bool is_drawable(const RenderBody& body) {
  const Vecf p = body.position;
  const Rotation<float> q = body.orientation;
  return std::isfinite(p.x + p.y + p.z + q.x + q.y + q.z + q.w);
}

RayHit cast_body(const Ray& ray, const RenderBody& body) {
  return cast_shape(ray, body.type, body.size, body.position, body.orientation);
}

// The bodies, for trace(): a uniform grid for those that move, a list for the ground, which is few and large.
class BodyGrid {
 public:
  explicit BodyGrid(std::span<const RenderBody> all) {
    for (const RenderBody& body : all) {
      if (!is_drawable(body)) continue;
      (body.ground || body.type == ShapeType::plane ? ground_ : bodies_).push_back(body);
    }
    if (bodies_.empty()) return;
    choose_cells();
    fill_cells();
  }

  SurfaceHit nearest(const Ray& ray) const {
    SurfaceHit best;
    const auto look_at = [&](const RenderBody& body) {
      const RayHit hit = cast_body(ray, body);
      const bool closer =
          hit.distance < best.hit.distance || (hit.distance == best.hit.distance && body.slot < best.slot);
      if (hit.distance != kNoHit && closer) best = {hit, body.slot, body.ground || body.type == ShapeType::plane};
    };
    for (const RenderBody& body : ground_) look_at(body);
    walk(ray, [&](std::size_t cell, float cell_end) {
      for (std::size_t i = cell_start_[cell]; i < cell_start_[cell + 1]; ++i) look_at(bodies_[cell_body_[i]]);
      return best.hit.distance <= cell_end;
    });
    return best;
  }

  bool covers(const Ray& ray) const {
    for (const RenderBody& body : ground_) {
      if (cast_body(ray, body).distance != kNoHit) return true;
    }
    bool covered = false;
    walk(ray, [&](std::size_t cell, float) {
      for (std::size_t i = cell_start_[cell]; i < cell_start_[cell + 1] && !covered; ++i) {
        covered = cast_body(ray, bodies_[cell_body_[i]]).distance != kNoHit;
      }
      return covered;
    });
    return covered;
  }

 private:
  static constexpr int kMostCells = 160;  // along an axis: 4 million cells, 16 MB

  struct Cell {
    int x, y, z;
  };

  // About one body a cell if they were spread evenly.
  void choose_cells() {
    for (const RenderBody& body : bodies_) bounds_.add(bounds_of(body));
    const Vecf pad{0.01f, 0.01f, 0.01f};
    bounds_ = {bounds_.low - pad, bounds_.high + pad};
    const Vecf size = bounds_.high - bounds_.low;
    const float edge = std::cbrt(size.x * size.y * size.z / float(bodies_.size()));
    const auto cells = [&](float length) {
      return std::clamp(static_cast<int>(std::min(length / edge, 1e6f)), 1, kMostCells);
    };
    count_ = {cells(size.x), cells(size.y), cells(size.z)};
    cell_size_ = {size.x / float(count_.x), size.y / float(count_.y), size.z / float(count_.z)};
  }

  static int cell_on_axis(float x, float low, float size, int count) {
    return std::clamp(static_cast<int>((x - low) / size), 0, count - 1);
  }
  Cell cell_at(Vecf p) const {
    return {cell_on_axis(p.x, bounds_.low.x, cell_size_.x, count_.x),
            cell_on_axis(p.y, bounds_.low.y, cell_size_.y, count_.y),
            cell_on_axis(p.z, bounds_.low.z, cell_size_.z, count_.z)};
  }
  std::size_t cell_index(Cell c) const {
    return (static_cast<std::size_t>(c.z) * static_cast<std::size_t>(count_.y) + static_cast<std::size_t>(c.y)) *
               static_cast<std::size_t>(count_.x) +
           static_cast<std::size_t>(c.x);
  }

  template <class Visit>
  void for_each_cell_of(const RenderBody& body, Visit visit) const {
    const Bounds bounds = bounds_of(body);
    const Cell first = cell_at(bounds.low), last = cell_at(bounds.high);
    for (int z = first.z; z <= last.z; ++z) {
      for (int y = first.y; y <= last.y; ++y) {
        for (int x = first.x; x <= last.x; ++x) visit(cell_index({x, y, z}));
      }
    }
  }

  // Count, sum up, fill.
  void fill_cells() {
    cell_start_.assign(cell_index({count_.x - 1, count_.y - 1, count_.z - 1}) + 2, 0);
    for (const RenderBody& body : bodies_) {
      for_each_cell_of(body, [&](std::size_t cell) { ++cell_start_[cell + 1]; });
    }
    for (std::size_t cell = 1; cell < cell_start_.size(); ++cell) cell_start_[cell] += cell_start_[cell - 1];
    cell_body_.resize(cell_start_.back());
    std::vector<std::uint32_t> next(cell_start_.begin(), cell_start_.end() - 1);
    for (std::size_t body = 0; body < bodies_.size(); ++body) {
      for_each_cell_of(bodies_[body],
                       [&](std::size_t cell) { cell_body_[next[cell]++] = static_cast<std::uint32_t>(body); });
    }
  }

  // The walk along one axis: the distance at which the ray leaves its cell, and how that grows from cell to cell.
  struct AxisWalk {
    float leave, growth;
    int step, end;
  };
  static AxisWalk axis_walk(float origin, float direction, float low, float size, int cell, int count) {
    if (std::fabs(direction) < 1e-12f) return {kNoHit, kNoHit, 0, -1};
    const bool up = direction > 0.0f;
    const float wall = low + size * float(up ? cell + 1 : cell);
    return {(wall - origin) / direction, size / std::fabs(direction), up ? 1 : -1, up ? count : -1};
  }

  // Calls visit(cell, distance at which the ray leaves it) in the order of the ray until it returns true.
  // Amanatides and Woo 1987.
  template <class Visit>
  void walk(const Ray& ray, Visit visit) const {
    if (bodies_.empty()) return;
    const Vecf o = ray.origin, d = ray.direction, middle = 0.5f * (bounds_.low + bounds_.high);
    const Vecf from = o - middle, half = 0.5f * (bounds_.high - bounds_.low);
    float enter = 0.0f, leave = kNoHit;
    Vecf normal{};
    const bool crosses = cut_slab(from.x, d.x, half.x, {1.0f, 0.0f, 0.0f}, enter, leave, normal) &&
                         cut_slab(from.y, d.y, half.y, {0.0f, 1.0f, 0.0f}, enter, leave, normal) &&
                         cut_slab(from.z, d.z, half.z, {0.0f, 0.0f, 1.0f}, enter, leave, normal);
    if (!crosses) return;
    Cell cell = cell_at(o + enter * d);
    AxisWalk x = axis_walk(o.x, d.x, bounds_.low.x, cell_size_.x, cell.x, count_.x);
    AxisWalk y = axis_walk(o.y, d.y, bounds_.low.y, cell_size_.y, cell.y, count_.y);
    AxisWalk z = axis_walk(o.z, d.z, bounds_.low.z, cell_size_.z, cell.z, count_.z);
    const auto advance = [](AxisWalk& axis, int& number) {
      number += axis.step;
      axis.leave += axis.growth;
      return number != axis.end;
    };
    for (;;) {
      const float cell_end = std::min(x.leave, std::min(y.leave, z.leave));
      if (visit(cell_index(cell), cell_end)) return;
      const bool inside = cell_end == x.leave   ? advance(x, cell.x)
                          : cell_end == y.leave ? advance(y, cell.y)
                                                : advance(z, cell.z);
      if (!inside) return;
    }
  }

  std::vector<RenderBody> ground_;
  std::vector<RenderBody> bodies_;
  Bounds bounds_;
  Cell count_{1, 1, 1};
  Vecf cell_size_{1.0f, 1.0f, 1.0f};
  std::vector<std::uint32_t> cell_start_;  // first entry of each cell in cell_body_
  std::vector<std::uint32_t> cell_body_;
};

// A wall on the camera's side of the bodies, or a plane that has the camera behind it.
bool stands_between(const BodyDef& wall, Vecf bodies, Vecf to_camera) {
  if (wall.shape.type == ShapeType::plane) {
    return dot(rotate(rotation<float>(wall.orientation), vec<float>(wall.shape.size)), to_camera) < 0.0f;
  }
  return dot(vec<float>(wall.position) - bodies, to_camera) > 0.0f;
}

// Range of one coordinate without the outermost half per cent on each side.
std::array<float, 2> usual_range(std::vector<float> values) {
  const std::size_t skip = values.size() / 200;
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(skip);
  const auto high = values.end() - 1 - static_cast<std::ptrdiff_t>(skip);
  std::nth_element(values.begin(), low, values.end());
  const float least = *low;
  std::nth_element(values.begin(), high, values.end());
  return {least, *high};
}

}  // namespace

RenderBody render_body(const ShapeDef& shape, const Transform& pose, std::uint32_t slot, bool ground) {
  return {shape.type, vec<float>(shape.size), vec<float>(pose.position), rotation<float>(pose.orientation), slot,
          ground};
}

std::vector<RenderBody> render_bodies(RunningScene& running) {
  const Scene& scene = running.scene();
  std::vector<RenderBody> result;
  result.reserve(scene.bodies.size() + scene.statics.size());
  const std::vector<BodyMotion> motions = running.motions();
  Vecf sum{0.0f, 0.0f, 0.0f};
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const bool fixed = scene.bodies[i].motion == Motion::fixed;  // stairs and the like
    result.push_back(render_body(scene.bodies[i].shape, motions[i].pose, running.bodies()[i].slot, fixed));
    sum = sum + vec<float>(scene.bodies[i].position);
  }
  const Vecf middle = (1.0f / float(std::max<std::size_t>(1, motions.size()))) * sum;
  for (std::size_t i = 0; i < scene.statics.size(); ++i) {
    const BodyDef& def = scene.statics[i];
    const bool in_the_way = stands_between(def, middle, vec<float>(scene.view_from));
    if (in_the_way) continue;
    result.push_back(render_body(def.shape, {def.position, def.orientation}, running.statics()[i].slot, true));
  }
  return result;
}

Camera frame_bodies(std::span<const RenderBody> bodies, Vec3 view_from, int width, int height) {
  std::vector<float> low_x, low_y, low_z, high_x, high_y, high_z;
  for (const RenderBody& body : bodies) {
    if (body.ground || body.type == ShapeType::plane || !is_drawable(body)) continue;
    const Bounds bounds = bounds_of(body);
    low_x.push_back(bounds.low.x);
    low_y.push_back(bounds.low.y);
    low_z.push_back(bounds.low.z);
    high_x.push_back(bounds.high.x);
    high_y.push_back(bounds.high.y);
    high_z.push_back(bounds.high.z);
  }
  Vecf low{-1.0f, -1.0f, -1.0f}, high{1.0f, 1.0f, 1.0f};
  if (!low_x.empty()) {
    low = {usual_range(low_x)[0], usual_range(low_y)[0], usual_range(low_z)[0]};
    high = {usual_range(high_x)[1], usual_range(high_y)[1], usual_range(high_z)[1]};
  }

  Camera camera{};
  camera.width = width;
  camera.height = height;
  camera.half_height = 0.36f;  // 40 degrees from bottom to top
  const Vecf back = normalized(vec<float>(view_from));
  camera.forward = -back;
  camera.right = normalized(cross(camera.forward, Vecf{0.0f, 1.0f, 0.0f}));
  camera.up = cross(camera.right, camera.forward);

  // Far enough back for each corner of the bounds to be inside the picture, with a margin of 8 %.
  const Vecf middle = 0.5f * (low + high);
  const float half_width = camera.half_height * float(width) / float(height);
  float distance = 0.1f;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vecf offset = Vecf{(corner & 1u) != 0 ? high.x : low.x, (corner & 2u) != 0 ? high.y : low.y,
                             (corner & 4u) != 0 ? high.z : low.z} -
                        middle;
    const float near = dot(offset, back);
    distance = std::max(distance, near + 1.08f * std::fabs(dot(offset, camera.right)) / half_width);
    distance = std::max(distance, near + 1.08f * std::fabs(dot(offset, camera.up)) / camera.half_height);
  }
  camera.eye = middle + distance * back;
  return camera;
}

Image render(std::span<const RenderBody> bodies, const Camera& camera, int samples) {
  if (camera.width < 1 || camera.height < 1) throw Error("render: the image has no pixels");
  if (samples < 1 || samples > 8) throw Error("render: samples " + std::to_string(samples) + " is not in 1..8");
  Image image{camera.width, camera.height, {}};
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(camera.width);
  image.rgb.resize(row_bytes * static_cast<std::size_t>(camera.height));
  const BodyGrid grid(bodies);
  const float weight = 1.0f / float(samples * samples);
  const auto draw_row = [&](int y) {
    std::uint8_t* out = image.rgb.data() + row_bytes * static_cast<std::size_t>(y);
    for (int x = 0; x < camera.width; ++x) {
      Vecf sum{0.0f, 0.0f, 0.0f};
      for (int i = 0; i < samples; ++i) {
        for (int j = 0; j < samples; ++j) {
          const float dx = (float(j) + 0.5f) / float(samples), dy = (float(i) + 0.5f) / float(samples);
          sum = sum + trace(camera_ray(camera, float(x) + dx, float(y) + dy), grid);
        }
      }
      *out++ = to_byte(weight * sum.x);
      *out++ = to_byte(weight * sum.y);
      *out++ = to_byte(weight * sum.z);
    }
  };
  tbb::parallel_for(tbb::blocked_range<int>(0, camera.height, 4), [&](const tbb::blocked_range<int>& rows) {
    for (int y = rows.begin(); y < rows.end(); ++y) draw_row(y);
  });
  return image;
}

}  // namespace talus::scenes
