// SPDX-License-Identifier: MIT
#include "residual.h"

#include <talus/status.h>

#include <algorithm>
#include <limits>
#include <string>

namespace talus::lab {
namespace {

void map_disks(const Problem& problem, const FrictionSet& set, const Vector& x, const Vector& w, Vector& map) {
  for (const Disk& disk : problem.disks) {
    Eigen::Vector2d z = Eigen::Vector2d::Zero();
    z.head(disk.count) = (x - w).segment(disk.first, disk.count);
    const double radius = disk.friction * std::max(0.0, x[disk.normal]);
    const Eigen::Vector2d point = std::visit([&](const auto& s) { return s.project(z, radius).point; }, set);
    map.segment(disk.first, disk.count) = x.segment(disk.first, disk.count) - point.head(disk.count);
  }
}

void map_cones(const Problem& problem, const Vector& x, const Vector& w, Vector& map) {
  for (const ContactRows& contact : convex_contacts(problem)) {
    const Eigen::Vector3d point = project_cone((x - w)(contact.rows), contact.friction).point;
    map(contact.rows) = x(contact.rows) - point;
  }
}

}  // namespace

FrictionSet friction_set(const FrictionModel& model) {
  if (model.law == FrictionLaw::box) return BoxSet{};
  if (model.law == FrictionLaw::cone) return DiskSet{};
  if (model.law == FrictionLaw::convex_cone) throw Error("lab: the convex cone is no set of tangents alone");
  if (model.sides < 4 || model.sides % 2 != 0) {
    throw Error("lab: a friction polygon of " + std::to_string(model.sides) +
                " sides; an even number from 4 is needed");
  }
  return PolygonSet{model.sides};
}

std::vector<ContactRows> convex_contacts(const Problem& problem) {
  std::vector<ContactRows> contacts;
  std::vector<bool> taken(std::size_t(problem.row_count()));
  for (const Disk& disk : problem.disks) {
    const bool unbounded =
        problem.lower[disk.normal] == 0.0 && problem.upper[disk.normal] == std::numeric_limits<double>::infinity();
    if (disk.count != 2 || taken[std::size_t(disk.normal)] || !unbounded) {
      throw Error("lab: a friction cone needs a normal of its own in [0, inf) and two tangents (row " +
                  std::to_string(disk.first) + ")");
    }
    taken[std::size_t(disk.normal)] = true;
    contacts.push_back({{disk.normal, disk.first, disk.first + 1}, disk.friction});
  }
  return contacts;
}

Vector natural_map(const Problem& problem, const Vector& x, const FrictionModel& model) {
  const Vector w = row_velocity(problem, x);
  Vector map = x - (x - w).cwiseMax(problem.lower).cwiseMin(problem.upper);
  if (problem.disks.empty()) return map;
  if (model.law == FrictionLaw::convex_cone) {
    map_cones(problem, x, w, map);
  } else {
    map_disks(problem, friction_set(model), x, w, map);
  }
  return map;
}

double natural_residual(const Problem& problem, const Vector& x, const FrictionModel& model) {
  return problem.row_count() == 0 ? 0.0 : natural_map(problem, x, model).lpNorm<Eigen::Infinity>();
}

double box_merit(const Problem& problem, const Vector& x) {
  return 0.5 * natural_map(problem, x, {.law = FrictionLaw::box}).squaredNorm();
}

}  // namespace talus::lab
